//! What the calculus of fields refuses, and in which words.

use super::{at, common, coupled, gaussian, model, per_input};
use faer::{Mat, mat};
use orff::feature::MapKind;
use orff::group::Group;
use orff::kernel::{Kernel, Matrix};
use orff::model::{Linear, Preparation};

#[test]
fn refusals_say_why() {
    let sentence = |r: Result<(), orff::Error>| r.unwrap_err().to_string();
    let x2 = at(&mat![[1.0, 2.0]]);
    let wide = model(&coupled(3), MapKind::Pairs, common(2));
    assert_eq!(
        sentence(wide.divergence(&x2).map(drop)),
        "divergence of a model with 3 outputs and 2 inputs is refused: it needs a vector field, with one \
         output per input"
    );
    for refused in [wide.curl(&x2).map(drop), wide.decompose(&x2).map(drop), wide.potential(&x2).map(drop)] {
        assert!(sentence(refused).contains("of a model with 3 outputs and 2 inputs is refused"));
    }

    let curl_free = |at| model(&Kernel::curl_free(gaussian()), MapKind::Pairs, at);
    let div_free = |at| model(&Kernel::div_free(gaussian()), MapKind::Pairs, at);
    let found = sentence(div_free(common(2)).potential(&x2).map(drop));
    assert_eq!(
        found,
        "potential of this model is refused: its rotation part is 1.0e0 of it, and must vanish; fit a \
         curl-free kernel, or ask its gradient part"
    );
    let found = sentence(curl_free(common(2)).stream_function(&x2).map(drop));
    assert_eq!(
        found,
        "stream function of this model is refused: its gradient part is 1.0e0 of it, and must vanish; fit a \
         div-free kernel, or ask its rotation part"
    );
    // per-input scales turn κ away from ω: the field is no gradient in the user's coordinates
    assert!(sentence(curl_free(per_input(2)).potential(&x2).map(drop)).contains("its rotation part is"));
    assert!(sentence(div_free(per_input(2)).stream_function(&x2).map(drop)).contains("its gradient part is"));

    let x3 = at(&mat![[1.0, 2.0, 3.0]]);
    for (refused, start) in [
        (div_free(common(3)).stream_function(&x3).map(drop), "stream function in 3 dimensions is refused: "),
        (div_free(common(2)).vector_potential(&x2).map(drop), "vector potential in 2 dimensions is refused: "),
    ] {
        assert!(sentence(refused).starts_with(start));
    }

    let chart = Preparation { group: Group::Multiplicative, ..Preparation::plain(2) };
    let charted = model(&coupled(2), MapKind::Pairs, chart);
    assert_eq!(
        sentence(charted.decompose(&x2).map(drop)),
        "decomposition on the multiplicative group is refused: its waves run along the chart, not along the inputs; \
         fit on the additive group"
    );
    assert!(
        sentence(charted.jacobian(&at(&mat![[1.0, -2.0]])).map(drop)).starts_with("row 1, column 2: -2 is outside")
    );

    let views = vec![Matrix::new(Mat::identity(2, 2), "view").unwrap(); 2];
    let viewed = Linear { preparation: Preparation { views, ..common(2) }, ..curl_free(common(2)) };
    assert!(
        sentence(viewed.gradient_part().map(drop)).starts_with("gradient part of a model with views is refused: ")
    );

    assert_eq!(sentence(wide.jacobian(&x3).map(drop)), "inputs: expected 2 columns, got 3");
    let nan = at(&mat![[1.0, 2.0], [f64::NAN, 0.0]]);
    assert!(sentence(curl_free(common(2)).curl(&nan).map(drop)).starts_with("row 2, column 1: NaN is not a finite"));
}
