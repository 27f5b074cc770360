"""The same seed and data give the same bits in Python and on the command line, through files both ways."""

import json
import os
import pickle
import shutil
import subprocess
import sys

import cloudpickle
import numpy as np
import orff
import pandas as pd
import pytest

COMMAND = {
    "OperatorRidge": "regression",
    "ExactOperatorRidge": "exact",
    "NystromRidge": "nystrom",
    "VectorField": "field",
}


PYTHON = [sys.executable, "-m", "orff"]
BINARY = os.environ.get("ORFF_COMMAND")
"""The command as Cargo builds it; `./test` says where it is."""


def orff_command(*arguments, cwd, code=0, command=PYTHON):
    done = subprocess.run([*command, *arguments], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(params=["module", "binary"])
def command(request):
    """The command inside the package, and the one that Cargo builds."""
    if request.param == "module":
        return PYTHON
    if not BINARY:
        pytest.skip("ORFF_COMMAND, set by ./test, is the path of the binary")
    return [BINARY]


def test_levels_and_draws_are_those_of_the_command(command, tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": random.uniform(size=80), "u": random.normal(size=80), "v": random.normal(size=80)})
    frame.to_csv(tmp_path / "rows.csv", index=False, float_format=lambda v: repr(float(v)))
    model = orff.QuantileFunction(lengthscale=1.0, alpha=0.01, n_components=32).fit(frame[["x"]], frame[["u", "v"]])
    model.save(tmp_path / "m.orff")
    arguments = ["--cdf", "--samples", "3", "--seed", "7", "-o", "out.csv"]
    orff_command("predict", "m.orff", "rows.csv", *arguments, cwd=tmp_path, command=command)
    out = pd.read_csv(tmp_path / "out.csv", float_precision="round_trip")
    assert (out[["u_cdf", "v_cdf"]].to_numpy() == model.cdf(frame[["x"]], frame[["u", "v"]])).all()
    draws = model.sample(frame[["x"]], 3, random_state=7)
    for k, name in enumerate("uv"):
        assert (out[[f"{name}_sample{i}" for i in (1, 2, 3)]].to_numpy() == draws[:, k]).all()


@pytest.mark.parametrize("name", COMMAND)
def test_bits_are_those_of_the_command(rows, name, command, tmp_path):
    X, Y = rows[0][:, :2], rows[1]
    frame = pd.DataFrame(np.hstack([X, Y]), columns=["a", "b", "u", "v"])
    frame.to_csv(tmp_path / "rows.csv", index=False, float_format=lambda v: repr(float(v)))
    inputs, outputs = frame[["a", "b"]], frame[["u", "v"]]
    ours = getattr(orff, name)(n_jobs=1).fit(inputs, outputs)
    arguments = ["rows.csv", "--inputs", "a,b", "--outputs", "u,v", "-o", "theirs.orff", "--threads", "2"]
    orff_command("fit", COMMAND[name], *arguments, cwd=tmp_path, command=command)
    theirs = orff.load(tmp_path / "theirs.orff")
    assert type(theirs) is getattr(orff, name)
    assert (theirs.predict(inputs) == ours.predict(inputs)).all()
    assert theirs.alpha_ == ours.alpha_ and theirs.kernel_ == ours.kernel_
    assert list(theirs.feature_names_in_) == ["a", "b"]

    ours.save(tmp_path / "ours.orff")
    orff_command("predict", "ours.orff", "rows.csv", "-o", "out.csv", "--std", cwd=tmp_path, command=command)
    out = pd.read_csv(tmp_path / "out.csv", float_precision="round_trip")
    mean, std = ours.predict(inputs, return_std=True)
    assert (out[["u", "v"]].to_numpy() == mean).all()
    assert (out[["u_std", "v_std"]].to_numpy() == std).all()


@pytest.mark.parametrize(("kernel", "width"), [("curl-free", 2), ("div-free", 2), ("div-free", 3), ("helmholtz", 2)])
def test_potentials_are_those_of_the_command(kernel, width, command, tmp_path):
    X = np.random.default_rng(2).uniform(0, 2, (80, width))
    frame = pd.DataFrame(X, columns=["x", "y", "z"][:width])
    frame.to_csv(tmp_path / "rows.csv", index=False, float_format=lambda v: repr(float(v)))
    model = orff.VectorField(kernel, n_components=100).fit(frame, X[:, ::-1] * [1, -1, 1][:width] + 3)
    model.save(tmp_path / "m.orff")
    words = ["potential", "stream-function" if width == 2 else "vector-potential"]
    orff_command("predict", "m.orff", "rows.csv", "--also", ",".join(words), "-o", "o.csv", cwd=tmp_path, command=command)
    out = pd.read_csv(tmp_path / "o.csv", float_precision="round_trip").to_numpy()[:, width:]
    ours = [getattr(model, word.replace("-", "_"))(frame).reshape(len(X), -1) for word in words]
    assert (out == np.hstack(ours)).all()


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "brotli", "lz4", "zstd"])
def test_every_codec_of_parquet_is_read(rows, codec, tmp_path):
    X, Y = rows
    frame = pd.DataFrame(np.hstack([X, Y]), columns=["a", "b", "c", "u", "v"])
    frame.to_parquet(tmp_path / "rows.parquet", compression=None if codec == "none" else codec)
    model = orff.OperatorRidge(n_components=64).fit(frame[["a", "b", "c"]], frame[["u", "v"]])
    model.save(tmp_path / "m.orff")
    orff_command("predict", "m.orff", "rows.parquet", "-o", "out.npy", cwd=tmp_path)
    assert (np.load(tmp_path / "out.npy") == model.predict(frame[["a", "b", "c"]])).all()


@pytest.mark.parametrize("missing", ["mean", "drop"])
def test_gaps_are_met_as_the_command_meets_them(rows, missing, tmp_path):
    X, Y = rows[0][:, :2], rows[1]
    frame = pd.DataFrame(np.hstack([X, Y]), columns=["a", "b", "u", "v"])
    frame.loc[::7, "a"] = np.nan
    frame.loc[3, "b"] = np.nan
    frame.to_csv(tmp_path / "rows.csv", index=False, float_format=lambda v: repr(float(v)))
    arguments = ["rows.csv", "--inputs", "a,b", "--outputs", "u,v", "-o", "m.orff", "--missing", missing]
    orff_command("fit", "field", *arguments, "--features", "64", cwd=tmp_path)
    orff_command("predict", "m.orff", "rows.csv", "-o", "out.csv", "--std", "--also", "divergence", cwd=tmp_path)
    out = pd.read_csv(tmp_path / "out.csv")
    model = orff.load(tmp_path / "m.orff")
    mean, std = model.predict(frame[["a", "b"]], return_std=True)
    cov = model.predict(frame[["a", "b"]], return_cov=True)[1]
    gap = frame[["a", "b"]].isna().any(axis=1).to_numpy()
    assert (np.isnan(mean).any(axis=1) == (gap & (missing == "drop"))).all()
    divergence = model.divergence(frame[["a", "b"]])
    for found, column in ((mean, ["u", "v"]), (std, ["u_std", "v_std"]), (divergence, "divergence")):
        assert np.array_equal(found, out[column].to_numpy(), equal_nan=True)
    assert np.allclose(np.einsum("nii->ni", cov), std**2, equal_nan=True)


def test_words_are_columns_of_the_model(rows, tmp_path):
    frame = pd.DataFrame({"a": rows[0][:, 0], "colour": np.where(rows[0][:, 1] > 0, "red", "blue"), "u": rows[1][:, 0]})
    frame.to_csv(tmp_path / "rows.csv", index=False, float_format=lambda v: repr(float(v)))
    arguments = ["rows.csv", "--outputs", "u", "-o", "m.orff", "--one-hot", "--features", "64"]
    orff_command("fit", "regression", *arguments, cwd=tmp_path)
    orff_command("predict", "m.orff", "rows.csv", "-o", "out.csv", cwd=tmp_path)
    model = orff.load(tmp_path / "m.orff")
    dummies = pd.get_dummies(frame[["a", "colour"]], prefix_sep="=", dtype=float)[model.feature_names_in_]
    assert list(dummies.columns) == ["a", "colour=blue", "colour=red"]
    assert (model.predict(dummies) == pd.read_csv(tmp_path / "out.csv")["u"]).all()


def test_arrays_without_names_are_found_by_position(rows, tmp_path):
    X, Y = rows
    model = orff.OperatorRidge(n_components=64).fit(X, Y)
    model.save(tmp_path / "m.orff")
    np.save(tmp_path / "x.npy", X)
    orff_command("predict", "m.orff", "x.npy", "-o", "out.npy", cwd=tmp_path)
    assert (np.load(tmp_path / "out.npy") == model.predict(X)).all()
    report = orff_command("inspect", "m.orff", "--format", "json", cwd=tmp_path)
    assert json.loads(report.stdout)["inputs"] == ["x1", "x2", "x3"]


def test_single_precision_is_that_of_the_command(rows, tmp_path):
    X, Y = (part.astype(np.float32) for part in rows)
    options = {"n_components": 64, "lengthscale": 1.0, "alpha": 1e-3}
    model = orff.OperatorRidge(**options).fit(X, Y)
    assert any("mixed precision" in line for line in model.choices_)
    np.savez(tmp_path / "rows.npz", x=X, y=Y)
    given = ["--features", "64", "--lengthscale", "1", "--ridge", "1e-3", "-o", "theirs.orff"]
    orff_command("fit", "regression", "rows.npz", "--inputs", "x", "--outputs", "y", *given, cwd=tmp_path)
    theirs = orff.load(tmp_path / "theirs.orff").predict(X)
    assert theirs.dtype == np.float32 and (theirs == model.predict(X)).all()
    X = np.vstack([X, [[1e4, 1e4, 1e4]]]).astype(np.float32)  # a far row changes no other
    assert (model.predict(X)[:-1] == theirs).all()
    model.save(tmp_path / "ours.orff")
    np.save(tmp_path / "x.npy", X)
    orff_command("predict", "ours.orff", "x.npy", "-o", "out.npy", cwd=tmp_path)
    out = np.load(tmp_path / "out.npy")
    assert (out.astype(np.float32) == model.predict(X)).all() and (out != model.predict(X.astype(float))).any()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Rows for several blocks and batches, and a folder with their inputs."""
    rng = np.random.default_rng(11)
    X = rng.uniform(-2, 2, (20_000, 2))
    Y = np.column_stack([np.cos(X[:, 0]) * np.cos(X[:, 1]), -np.sin(X[:, 0]) * np.sin(X[:, 1])])
    Y += 0.1 * rng.normal(size=Y.shape)
    folder = tmp_path_factory.mktemp("many")
    np.save(folder / "x.npy", X)
    return X, Y, folder


# the lengthscale is searched by one of them; exact ridge has fewer rows, its time is their cube
@pytest.mark.parametrize(
    "name, parameters, flags, count",
    [
        ("OperatorRidge", {"n_components": 64}, ["--features=64"], 20_000),
        ("VectorField", {"n_components": 64, "lengthscale": 1.0}, ["--features=64", "--lengthscale=1"], 20_000),
        ("NystromRidge", {"n_components": 40, "lengthscale": 1.0}, ["--points=40", "--lengthscale=1"], 20_000),
        ("ExactOperatorRidge", {"lengthscale": 1.0}, ["--lengthscale=1"], 500),
    ],
)
def test_threads_change_no_bits_here_nor_in_the_command(many, name, parameters, flags, count):
    X, Y, folder = many
    Class = getattr(orff, name)
    answers = [Class(n_jobs=jobs, **parameters).fit(X[:count], Y[:count]).predict(X) for jobs in (1, 2, 4)]
    np.save(folder / "some.npy", np.hstack([X, Y])[:count])
    for threads in ("1", "2", "4"):
        arguments = ["--outputs", "3,4", "--threads", threads, "-o", "m.orff", *flags]
        orff_command("-q", "fit", COMMAND[name], "some.npy", *arguments, cwd=folder)
        orff_command("-q", "predict", "m.orff", "x.npy", "-o", "out.npy", cwd=folder)
        answers.append(np.load(folder / "out.npy"))
    assert all(a.shape == (20_000, 2) and (a == answers[0]).all() for a in answers)


def test_threads_change_no_bits_of_features(many):
    X = many[0]
    answers = [orff.FourierFeatures(n_components=64, n_jobs=jobs).fit(X).transform(X) for jobs in (1, 2, 4)]
    assert all((a == answers[0]).all() for a in answers)


@pytest.mark.parametrize("warm_start", [False, True])
def test_a_column_stays_a_column_in_files(rows, warm_start, tmp_path):
    X, Y = rows
    for y in (Y[:, 0], Y[:, :1], pd.Series(Y[:, 0]), pd.DataFrame({"u": Y[:, 0]})):
        model = orff.OperatorRidge(n_components=16, warm_start=warm_start).fit(X, y)
        model.save(tmp_path / "m.orff")
        mean, again = model.predict(X), orff.load(tmp_path / "m.orff").predict(X)
        assert mean.shape == y.shape and again.shape == y.shape and (again == mean).all()
    # the command has no arrays: its single output is flat
    frame = pd.DataFrame({"a": X[:, 0], "u": Y[:, 0]})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    orff_command("fit", "regression", "rows.csv", "--outputs", "u", "-o", "m.orff", cwd=tmp_path)
    assert orff.load(tmp_path / "m.orff").predict(frame[["a"]]).shape == (len(X),)


def test_files_and_pickles_bring_everything_back(rows, plane, tmp_path):
    X, Y = rows
    kernel = orff.gaussian(1.0) + 0.5 * orff.laplace(2.0)
    for model in (
        orff.OperatorRidge(kernel, n_components=64, alpha="gcv", random_state=3).fit(X, Y),
        orff.ExactOperatorRidge().fit(X, Y[:, 0]),
        orff.VectorField("curl-free", n_jobs=2).fit(*plane),
    ):
        model.save(tmp_path / "m.orff")
        at = plane[0] if isinstance(model, orff.VectorField) else X
        for again in (
            orff.load(tmp_path / "m.orff"),
            pickle.loads(pickle.dumps(model)),
            cloudpickle.loads(cloudpickle.dumps(model)),
        ):
            for name, value in model.get_params().items():
                kept = again.get_params()[name]
                # an expression comes back as the kernel that it stands for
                assert kept == (orff.Kernel(value) if name == "kernel" and kept != value else value), name
            for a, b in zip(again.predict(at, return_std=True), model.predict(at, return_std=True), strict=True):
                assert (a == b).all() and a.shape == b.shape
            assert again.choices_ == model.choices_ and again.evidence_ == model.evidence_
    features = orff.FourierFeatures().fit(X)
    features.save(tmp_path / "f.orff")
    assert (orff.load(tmp_path / "f.orff").transform(X) == features.transform(X)).all()
    assert (pickle.loads(pickle.dumps(features)).transform(X) == features.transform(X)).all()


def test_a_damaged_file_is_refused(rows, tmp_path):
    X, Y = rows
    orff.OperatorRidge(n_components=8).fit(X, Y).save(tmp_path / "m.orff")
    data = bytearray((tmp_path / "m.orff").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "m.orff").write_bytes(data)
    with pytest.raises(ValueError, match="m.orff"):
        orff.load(tmp_path / "m.orff").predict(X, return_std=True)


def test_the_command_is_the_command(command, tmp_path):
    assert orff_command("--version", cwd=tmp_path, command=command).stdout == f"orff {orff.__version__}\n"
    assert shutil.which(command[0])
    assert (
        "expected auto or a whole number"
        in orff_command(
            "fit", "regression", "no.csv", "--outputs", "y", "-o", "m.orff", "--features", "0", cwd=tmp_path, code=2
        ).stderr
    )
    orff_command("predict", "no-such.orff", "no.csv", cwd=tmp_path, code=1)
    done = subprocess.run(
        f"{sys.executable} -m orff fit regression --help | head -1", shell=True, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stderr == ""


def test_the_command_has_nothing_to_predict_with_features(tmp_path):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["a", "b"])
    orff.FourierFeatures(n_components=8).fit(X).save(tmp_path / "f.orff")
    X.to_csv(tmp_path / "rows.csv", index=False)
    command = [sys.executable, "-m", "orff", "predict", str(tmp_path / "f.orff"), str(tmp_path / "rows.csv")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "features and no outputs" in done.stderr and done.stdout == ""


def test_kernels_too_large_for_a_file_are_refused_before_the_fit(rows, tmp_path):
    rng = np.random.default_rng(0)
    X, omega = rng.normal(size=(20, 300)), rng.normal(size=(2000, 300))
    large = orff.atoms(omega, np.ones((2000, 1, 1)))
    for estimator in (orff.OperatorRidge(large), orff.FourierFeatures(large)):
        with pytest.raises(orff.ParameterError, match="^kernel: expected one whose matrices and atoms have at most"):
            estimator.fit(X, X[:, 0])
    # outputs that are not tied are as many as one likes
    many = rng.normal(size=(20, 1500))
    model = orff.OperatorRidge(n_components=4, lengthscale=9.0, alpha=0.1).fit(X, many)
    model.save(tmp_path / "many.orff")
    assert (orff.load(tmp_path / "many.orff").predict(X) == model.predict(X)).all()
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("wrong", [None, 3, ["m.orff"], np.zeros(2)], ids=["none", "number", "list", "array"])
def test_what_is_no_path_is_named(rows, wrong):
    model = orff.OperatorRidge(n_components=10, alpha=1.0, lengthscale=1.0).fit(*rows)
    for use in (model.save, orff.load):
        with pytest.raises(TypeError, match="^path: expected a text or a path that a file can have, got "):
            use(wrong)
