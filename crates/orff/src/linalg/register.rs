//! Registers of numbers, for kernels that keep many sums in them. Of arrays the compiler keeps the sums in registers inside a
//! loop only, if at all: their way through memory before and after it is a third of a short loop, and in some builds it
//! gathers them number by number.

use super::Real;

/// Sums that fill one register.
pub(crate) trait Register<T>: Copy {
    const LANES: usize;
    /// The same number in every lane.
    fn splat(value: T) -> Self;
    /// The first numbers of a slice.
    fn load(from: &[T]) -> Self;
    /// Into the first places of a slice: as many as it has.
    fn store(self, to: &mut [T]);
    /// Added to the first places of a slice: to as many as it has.
    fn add_to(self, to: &mut [f64]);
    /// Into a slice of as many numbers, past the caches where the machine can and the slice lies at a multiple of the register's
    /// size: for numbers that are not read again soon. Other threads see them after [`fence`].
    fn stream(self, to: &mut [T]) {
        self.store(to);
    }
    /// self·by + plus, rounded as [`super::lanes::Arithmetic::fma`] does.
    fn fma(self, by: Self, plus: Self) -> Self;
}

/// Where no registers are named: an array, which the compiler may keep in some.
#[derive(Clone, Copy)]
pub struct Lanes<T, const N: usize, const FUSED: bool>([T; N]);

impl<T: Real, const N: usize, const FUSED: bool> Register<T> for Lanes<T, N, FUSED> {
    const LANES: usize = N;

    #[inline(always)]
    fn splat(value: T) -> Self {
        Lanes([value; N])
    }

    #[inline(always)]
    fn load(from: &[T]) -> Self {
        Lanes(*from.first_chunk().expect("a whole register"))
    }

    #[inline(always)]
    fn store(self, to: &mut [T]) {
        to.iter_mut().zip(self.0).for_each(|(to, sum)| *to = sum);
    }

    #[inline(always)]
    fn add_to(self, to: &mut [f64]) {
        to.iter_mut().zip(self.0).for_each(|(to, sum)| *to += sum.into());
    }

    #[inline(always)]
    fn fma(self, by: Self, plus: Self) -> Self {
        let one = if FUSED { T::mul_add } else { T::mul_then_add };
        Lanes(std::array::from_fn(|i| one(self.0[i], by.0[i], plus.0[i])))
    }
}

/// After the last [`Register::stream`] of a task, before other threads are told that it is done.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has it.
    unsafe {
        std::arch::x86_64::_mm_sfence()
    }
}

pub type Plain64 = Lanes<f64, 4, false>;
pub type Plain32 = Lanes<f32, 8, false>;
pub use registers::{Narrow32, Narrow64, Wide32, Wide64};

#[cfg(not(target_arch = "x86_64"))]
mod registers {
    use super::Lanes;
    pub type Wide64 = Lanes<f64, 8, true>;
    pub type Wide32 = Lanes<f32, 16, true>;
    pub type Narrow64 = Lanes<f64, 4, true>;
    pub type Narrow32 = Lanes<f32, 8, true>;
}

#[cfg(target_arch = "x86_64")]
mod registers {
    use super::Register;
    use std::arch::x86_64::*;

    macro_rules! register {
        ($name:ident($register:ty) of $lanes:literal $real:ty: $fma:ident, $stream:ident) => {
            #[derive(Clone, Copy)]
            pub struct $name($register);

            impl From<[$real; $lanes]> for $name {
                #[inline(always)]
                fn from(numbers: [$real; $lanes]) -> Self {
                    // SAFETY: a register is as many numbers, and any bits are numbers.
                    $name(unsafe { std::mem::transmute::<[$real; $lanes], $register>(numbers) })
                }
            }

            impl Register<$real> for $name {
                const LANES: usize = $lanes;

                #[inline(always)]
                fn splat(value: $real) -> Self {
                    [value; $lanes].into()
                }

                #[inline(always)]
                fn load(from: &[$real]) -> Self {
                    (*from.first_chunk::<$lanes>().expect("a whole register")).into()
                }

                #[inline(always)]
                fn store(self, to: &mut [$real]) {
                    // SAFETY: as above.
                    let numbers = unsafe { std::mem::transmute::<$register, [$real; $lanes]>(self.0) };
                    match to.first_chunk_mut() {
                        Some(to) => *to = numbers,
                        None => to.iter_mut().zip(numbers).for_each(|(to, sum)| *to = sum),
                    }
                }

                #[inline(always)]
                fn add_to(self, to: &mut [f64]) {
                    // SAFETY: as above.
                    let numbers = unsafe { std::mem::transmute::<$register, [$real; $lanes]>(self.0) };
                    match to.first_chunk_mut::<$lanes>() {
                        Some(to) => *to = std::array::from_fn(|l| to[l] + f64::from(numbers[l])),
                        None => to.iter_mut().zip(numbers).for_each(|(to, sum)| *to += f64::from(sum)),
                    }
                }

                #[inline(always)]
                fn stream(self, to: &mut [$real]) {
                    if to.len() < $lanes || to.as_ptr() as usize % size_of::<$register>() != 0 {
                        return self.store(to);
                    }
                    // SAFETY: room and alignment have just been checked; the instructions are there as for `fma`.
                    unsafe { $stream(to.as_mut_ptr(), self.0) }
                }

                #[inline(always)]
                fn fma(self, by: Self, plus: Self) -> Self {
                    // SAFETY: kernels with these registers are run by `vectorised!`, which has detected what they need.
                    $name(unsafe { $fma(self.0, by.0, plus.0) })
                }
            }
        };
    }
    register!(Wide64(__m512d) of 8 f64: _mm512_fmadd_pd, _mm512_stream_pd);
    register!(Wide32(__m512) of 16 f32: _mm512_fmadd_ps, _mm512_stream_ps);
    register!(Narrow64(__m256d) of 4 f64: _mm256_fmadd_pd, _mm256_stream_pd);
    register!(Narrow32(__m256) of 8 f32: _mm256_fmadd_ps, _mm256_stream_ps);
}
