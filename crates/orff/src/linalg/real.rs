//! The numbers that characters are made of: double precision, or single where that is asked for.

use super::rank::Piece;
use super::register::{self, Register};
use super::{sincos, sincos_single};
use faer::traits::RealField;

/// f64 or f32. Sums over rows and solutions are in f64 whatever the characters are in.
#[allow(private_bounds)]
pub trait Real: RealField + Copy + Send + Sync + Default + Into<f64> + private::Sealed {
    /// The nearest number.
    fn of(v: f64) -> Self;
    /// a·b + c with one rounding.
    fn mul_add(a: Self, b: Self, c: Self) -> Self;
    /// a·b + c with two.
    fn mul_then_add(a: Self, b: Self, c: Self) -> Self;
    /// cos zᵢ in the place of zᵢ, and sin zᵢ.
    fn sin_cos_in_place(z: &mut [Self], sin: &mut [Self]);
    /// cos zᵢ in the place of zᵢ.
    fn cos_in_place(z: &mut [Self]);
    /// Angles up to this size may be computed in this precision; larger ones lose digits that their sines need.
    const LARGEST_ANGLE: f64;
    /// Registers of 64 bytes, of 32, and of machines without fused operations.
    #[doc(hidden)]
    type Wide: Register<Self>;
    #[doc(hidden)]
    type Narrow: Register<Self>;
    #[doc(hidden)]
    type Plain: Register<Self>;
    /// Adds a piece of CᵀC.
    #[doc(hidden)]
    fn update(piece: Piece<'_>, c: faer::MatRef<'_, Self>);
}

mod private {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
}

impl Real for f64 {
    type Wide = register::Wide64;
    type Narrow = register::Narrow64;
    type Plain = register::Plain64;
    const LARGEST_ANGLE: f64 = f64::INFINITY;

    #[inline(always)]
    fn of(v: f64) -> Self {
        v
    }

    #[inline(always)]
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn mul_then_add(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }

    fn sin_cos_in_place(z: &mut [f64], sin: &mut [f64]) {
        sincos::sin_cos_in_place(z, sin)
    }

    fn cos_in_place(z: &mut [f64]) {
        sincos::cos_in_place(z)
    }

    fn update(piece: Piece<'_>, c: faer::MatRef<'_, f64>) {
        piece.update(c)
    }
}

impl Real for f32 {
    type Wide = register::Wide32;
    type Narrow = register::Narrow32;
    type Plain = register::Plain32;
    const LARGEST_ANGLE: f64 = 32.0;

    #[inline(always)]
    fn of(v: f64) -> Self {
        v as f32
    }

    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn mul_then_add(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }

    fn sin_cos_in_place(z: &mut [f32], sin: &mut [f32]) {
        sincos_single::sin_cos_in_place(z, sin)
    }

    fn cos_in_place(z: &mut [f32]) {
        sincos_single::cos_in_place(z)
    }

    fn update(piece: Piece<'_>, c: faer::MatRef<'_, f32>) {
        piece.update_single(c)
    }
}
