//! Running one piece of plain Rust with the vector instructions that the machine has.
//!
//! A kernel is written once, as an `#[inline(always)]` function generic over [`Arithmetic`]; [`vectorised!`] compiles
//! it for AVX-512, for AVX2 with fused multiply–add and for the baseline, and picks one at run time. The compiler never reorders
//! floating-point operations, so the bits do not depend on how it vectorises, nor on a value's place in its slice.
//!
//! What a kernel does with registers stands in its own loops: the body of a closure that is not inlined is compiled for the
//! baseline, and each of its instructions is then a call (a product was seen to take thirty times as long).

use super::Real;
use super::register::Register;

/// a·b + c, fused or not: the only operation in which machines may differ.
pub(crate) trait Arithmetic {
    const FUSED: bool;
    /// Whether there are 32 registers of 64 bytes: kernels may then keep larger tiles in them.
    const WIDE: bool;
    /// What holds its sums.
    type Sums<T: Real>: Register<T>;
    fn fma<T: Real>(a: T, b: T, c: T) -> T;
}

/// One rounding.
pub(crate) struct Fused;
/// One rounding, and wide registers.
pub(crate) struct Wide;
/// Two roundings, for machines on which a fused operation would be a slow library call.
pub(crate) struct Plain;

impl Arithmetic for Fused {
    const FUSED: bool = true;
    const WIDE: bool = false;
    type Sums<T: Real> = T::Narrow;

    #[inline(always)]
    fn fma<T: Real>(a: T, b: T, c: T) -> T {
        T::mul_add(a, b, c)
    }
}

impl Arithmetic for Wide {
    const FUSED: bool = true;
    const WIDE: bool = true;
    type Sums<T: Real> = T::Wide;

    #[inline(always)]
    fn fma<T: Real>(a: T, b: T, c: T) -> T {
        T::mul_add(a, b, c)
    }
}

impl Arithmetic for Plain {
    const FUSED: bool = false;
    const WIDE: bool = false;
    type Sums<T: Real> = T::Plain;

    #[inline(always)]
    fn fma<T: Real>(a: T, b: T, c: T) -> T {
        T::mul_then_add(a, b, c)
    }
}

/// What a build without run-time detection may assume.
#[cfg(any(target_arch = "aarch64", target_feature = "fma"))]
pub(crate) type Baseline = Fused;
#[cfg(not(any(target_arch = "aarch64", target_feature = "fma")))]
pub(crate) type Baseline = Plain;

/// Defines `$name`, which runs the kernel `$kernel::<A>` with the best instructions of this machine; `$kernel::<A, T>`
/// for functions of numbers of a type T.
macro_rules! vectorised {
    ($(#[$doc:meta])* $vis:vis fn $name:ident $(<$real:ident>)? ($($arg:ident: $ty:ty),* $(,)?) = $kernel:ident) => {
        $(#[$doc])*
        $vis fn $name $(<$real: $crate::linalg::Real>)? ($($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
                fn avx512 $(<$real: $crate::linalg::Real>)? ($($arg: $ty),*) {
                    $kernel::<$crate::linalg::lanes::Wide $(, $real)?>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2 $(<$real: $crate::linalg::Real>)? ($($arg: $ty),*) {
                    $kernel::<$crate::linalg::lanes::Fused $(, $real)?>($($arg),*)
                }
                if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                    if std::is_x86_feature_detected!("avx512f")
                        && std::is_x86_feature_detected!("avx512dq")
                        && std::is_x86_feature_detected!("avx512vl")
                    {
                        // SAFETY: the features that `avx512` is compiled for have just been detected.
                        return unsafe { avx512($($arg),*) };
                    }
                    // SAFETY: the features that `avx2` is compiled for have just been detected.
                    return unsafe { avx2($($arg),*) };
                }
            }
            $kernel::<$crate::linalg::lanes::Baseline $(, $real)?>($($arg),*)
        }
    };
}
pub(crate) use vectorised;
