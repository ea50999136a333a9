//! Sets of cells, a bit for each.

/// A set of small numbers, the bits of an integer.
pub trait Bits: Copy {
    /// The numbers, in ascending order.
    fn bits(self) -> impl Iterator<Item = usize>;
}

macro_rules! sets {
    ($($set:ty)*) => {
        $(impl Bits for $set {
            #[inline]
            fn bits(self) -> impl Iterator<Item = usize> {
                let mut rest = self;
                std::iter::from_fn(move || {
                    let lowest = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                    rest &= rest - 1;
                    Some(lowest)
                })
            }
        })*
    };
}

sets!(u8 u32 u64 u128);
