//! The schemas served are valid, and describe what is accepted.
//!
//! `files/openapi-3.1.json` is the OpenAPI Initiative's schema of 2022-10-07 (Apache-2.0), as it is published at
//! <https://spec.openapis.org/oas/3.1/schema/2022-10-07>.

use crate::common::Local;
use engine::Stop;
use jsonschema::draft202012::meta;
use requests::{ASKS, Budget, Desk, reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[tokio::test]
async fn the_description_is_a_document_of_openapi_3_1() {
    let wanted: Value = serde_json::from_str(&file("tests/files/openapi-3.1.json")).unwrap();
    let wanted = jsonschema::validator_for(&wanted).unwrap();
    let mut document = Local::new().await.get("/api/openapi.json").await.ok();
    let errors: Vec<_> = wanted
        .iter_errors(&document)
        .map(|error| format!("{error} at `{}`", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(meta::validate(schema).is_ok(), "{name}: {:?}", meta::validate(schema));
    }
    let operation = &mut document["paths"]["/api/catalogue"]["get"];
    assert!(operation["responses"].is_object());
    operation["responses"] = json!([200]);
    assert!(!wanted.is_valid(&document), "a list of answers is refused");
}

/// The example lines for `quadrille query` in the documents.
fn lines_of_documents() -> Vec<Value> {
    let mut lines = Vec::new();
    for document in ["../README.md", "../docs/requests.md", "../docs/protocols.md"] {
        for line in file(document).lines().filter_map(|line| line.strip_prefix("$ echo '")) {
            let line = line.rsplit_once('\'').unwrap().0;
            lines.extend(serde_json::from_str::<Value>(line).ok());
        }
    }
    lines
}

/// Whether a line is answered rather than refused.
fn is_answered(line: &Value, desk: &mut Desk) -> bool {
    let (mut answers, text) = (Vec::new(), line.to_string());
    reply(text.as_bytes(), desk, &Budget::SERVED, &Stop::default(), &mut |answer| {
        answers.push(serde_json::from_str::<Value>(&answer.to_string()).unwrap());
    });
    assert!(!answers.is_empty(), "{line}");
    answers.iter().all(|answer| answer["error"].is_null())
}

#[tokio::test]
async fn the_schema_of_requests_fits_every_line_that_is_answered() {
    let schema = Local::new().await.get("/api/requests.json").await.ok();
    assert!(meta::validate(&schema).is_ok(), "{:?}", meta::validate(&schema));
    let known = jsonschema::validator_for(&schema).unwrap();
    let mut lines = lines_of_documents();
    assert!(lines.len() >= 20, "{} lines in the documents", lines.len());
    lines.extend([
        json!({ "ask": "catalogue" }),
        json!({ "ask": "rules", "game": "gekitai" }),
        json!({ "ask": "edit", "game": "gekitai", "edit": { "clear": true } }),
    ]);
    let (mut desk, mut seen) = (Desk::new(16), BTreeSet::new());
    for line in lines {
        let errors: Vec<_> = known.iter_errors(&line).map(|error| error.to_string()).collect();
        let answered = is_answered(&line, &mut desk);
        assert!(!answered || errors.is_empty(), "{line}: {errors:#?}");
        if answered {
            seen.insert(line["ask"].as_str().unwrap_or("query").to_owned());
        }
    }
    assert_eq!(seen, ASKS.into_iter().map(str::to_owned).collect());
}

#[tokio::test]
async fn what_the_schema_of_requests_does_not_fit_is_refused() {
    let schema = Local::new().await.get("/api/requests.json").await.ok();
    let (known, mut desk) = (jsonschema::validator_for(&schema).unwrap(), Desk::new(16));
    let wrong = [
        json!({ "ask": "view", "game": "gekitai", "flippd": true }),
        json!({ "ask": "hint", "game": "gekitai", "nodes": "many" }),
        json!({ "ask": "hint", "game": "gekitai", "nodes": -5 }),
        json!({ "ask": "rules", "game": "chess" }),
        json!({ "ask": "view" }),
        json!({ "ask": "nothing" }),
        json!({ "flipped": true }),
    ];
    for line in wrong {
        assert!(!known.is_valid(&line), "{line}");
        assert!(!is_answered(&line, &mut desk), "{line}");
    }
}
