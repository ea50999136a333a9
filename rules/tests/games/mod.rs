//! The games that the general tests are made for.

/// Hands every game, with a name for its tests, to a macro that makes them.
macro_rules! every_game {
    ($tests:ident) => {
        $tests! {
            glaisher: rules::glaisher::Glaisher,
            gekitai: rules::gekitai::Gekitai,
            jeson_mor: rules::jeson_mor::JesonMor,
            six_making: rules::six_making::SixMaking,
        }
    };
}
