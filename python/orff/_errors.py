"""Exceptions."""


class ParameterError(ValueError, TypeError):
    """A parameter has a value that it does not take; the message says which, what it takes and what was given."""


ParameterError.__module__ = "orff"
