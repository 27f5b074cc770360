//! The few special functions that the laws need, with `libm` underneath so that values do not depend on the platform.

mod bessel;
mod gamma;
mod legendre;
mod normal;
mod secant;

pub use bessel::ln_bessel_k;
pub use gamma::{gamma_quantile, gamma_tail, gamma_tail_quantile};
pub use legendre::{gauss_legendre, legendre};
pub use normal::normal_quantile;
pub use secant::secant_square_tail_quantile;
