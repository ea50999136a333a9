//! How much a test looks at: a fixed part of its cases each time, all of them in a long run.

/// Whether all cases are wanted: `QUADRILLE_LONG=1 cargo test`.
pub fn is_long() -> bool {
    std::env::var_os("QUADRILLE_LONG").is_some_and(|value| value == "1")
}

/// All cases in a long run, an eighth of them otherwise, rounded up.
pub fn cases(all: u64) -> u64 {
    if is_long() { all } else { all.div_ceil(8) }
}
