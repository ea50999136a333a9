//! The server of Quadrille.
