//! Every address that the server answers, for those who besiege it.

/// The routes as they are written, each with what is fetched from it; nothing where one can only post.
pub const ROUTES: &[(&str, &[&str])] = &[
    ("/", &["/"]),
    ("/analysis", &["/analysis"]),
    ("/analysis/{*rest}", &["/analysis/six-making", "/analysis/nonsense"]),
    ("/api/analysis", &[]),
    ("/api/catalogue", &["/api/catalogue"]),
    ("/api/edit", &[]),
    ("/api/games", &[]),
    ("/api/games/{id}", &["/api/games/{id}"]),
    ("/api/games/{id}/commands", &[]),
    ("/api/games/{id}/events", &["/api/games/{id}/events"]),
    ("/api/games/{id}/record", &["/api/games/{id}/record"]),
    ("/api/games/{id}/rematch", &["/api/games/{id}/rematch"]),
    ("/api/games/{id}/socket", &["/api/games/{id}/socket"]),
    ("/api/health", &["/api/health"]),
    ("/api/hint", &[]),
    ("/api/lesson", &[]),
    ("/api/lessons/{game}", &["/api/lessons/glaisher"]),
    ("/api/proof", &[]),
    ("/api/puzzle", &[]),
    ("/api/puzzles/{game}", &["/api/puzzles/glaisher"]),
    ("/api/query", &[]),
    ("/api/record", &[]),
    ("/api/results/{game}", &["/api/results/gekitai"]),
    ("/api/review", &[]),
    ("/api/rules/{game}", &["/api/rules/glaisher"]),
    ("/api/tree", &[]),
    ("/api/turn", &[]),
    ("/api/view", &[]),
    (
        "/assets/{version}/{name}",
        &[
            "/assets/{version}/main.js",
            "/assets/{version}/pages.css",
            "/assets/{version}/quadrille.wasm",
            "/assets/{version}/catalogue.json",
            "/assets/{version}/rules-gekitai.html",
            "/assets/{version}/icon-512.png",
        ],
    ),
    ("/editor", &["/editor"]),
    ("/editor/{*rest}", &["/editor/jeson-mor"]),
    ("/embed/{id}", &["/embed/{id}"]),
    ("/favicon.ico", &["/favicon.ico"]),
    ("/learn", &["/learn"]),
    ("/learn/{*rest}", &["/learn/gekitai/2"]),
    ("/manifest.webmanifest", &["/manifest.webmanifest"]),
    ("/play", &["/play"]),
    ("/puzzles", &["/puzzles"]),
    ("/puzzles/{*rest}", &["/puzzles/glaisher/50", "/puzzles/jeson-mor/7"]),
    ("/results", &["/results"]),
    ("/results/{*rest}", &["/results/gekitai"]),
    ("/robots.txt", &["/robots.txt"]),
    ("/rules/{game}", &["/rules/all", "/rules/glaisher"]),
    ("/sw.js", &["/sw.js"]),
    ("/{id}", &["/{id}", "/abcdefgh"]),
];

/// What is fetched from a server that has a game of this id and files of this version.
pub fn paths(id: &str, version: &str) -> Vec<String> {
    let fill = |path: &&str| path.replace("{id}", id).replace("{version}", version);
    ROUTES.iter().flat_map(|(_, paths)| paths.iter().map(fill)).collect()
}

/// The version of the files that a page names.
pub fn version(page: &str) -> Option<&str> {
    page.split_once("/assets/")?.1.split('/').next()
}
