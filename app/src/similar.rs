//! Did you mean: the known word that is nearest to a mistyped one.

use rules::game::shorten;

/// The word that was probably meant, if one is near enough.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let most = (word.chars().count() / 3).clamp(1, 3);
    let near = known.iter().map(|own| (distance(&word, &own.to_lowercase()), *own));
    let near = near.filter(|(steps, own)| *steps <= most || is_beginning(&word, own));
    near.min_by_key(|(steps, _)| *steps).map(|(_, own)| own)
}

fn is_beginning(word: &str, own: &str) -> bool {
    word.chars().count() >= 3 && own.to_lowercase().starts_with(word)
}

/// "there is no game `gekitia`; did you mean `gekitai`?", or the list of what there is.
pub fn unknown(what: &str, word: &str, known: &[&str]) -> String {
    let word_shown = shorten(word);
    match nearest(word, known) {
        Some(own) => format!("there is no {what} `{word_shown}`; did you mean `{own}`?"),
        None => format!("there is no {what} `{word_shown}`; there are {}", known.join(", ")),
    }
}

/// How many letters are to be added, left out, replaced or exchanged with their neighbour.
fn distance(one: &str, two: &str) -> usize {
    let (one, two): (Vec<char>, Vec<char>) =
        (one.chars().take(64).collect(), two.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=two.len()).collect();
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=two.len() {
            let differ = usize::from(one[i - 1] != two[j - 1]);
            let mut least = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + differ);
            if i > 1 && j > 1 && one[i - 1] == two[j - 2] && one[i - 2] == two[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_found_and_nothing_else() {
        let games = ["glaisher", "gekitai", "jeson-mor", "six-making"];
        for (word, meant) in [
            ("gekitia", Some("gekitai")),
            ("Glaiser", Some("glaisher")),
            ("jesonmor", Some("jeson-mor")),
            ("six", Some("six-making")),
            ("chess", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, &games), meant, "{word}");
        }
        assert_eq!(
            unknown("game", "chess", &games[..2]),
            "there is no game `chess`; there are glaisher, gekitai"
        );
    }
}
