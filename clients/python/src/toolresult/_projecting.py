"""Methods that project an output, made of the functions that describe it, so that each has its arguments in one place."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Callable, Coroutine

from toolresult.outputs import Output
from toolresult.results import Result

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")


def projecting(describe: Callable[P, Output]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, Result]]:
    """Return a coroutine method that describes an output and hands it to the method `_project` of its object."""

    async def project(self: Any, /, *args: P.args, **options: P.kwargs) -> Result:
        result: Result = await self._project(describe(*args, **options))
        return result

    functools.update_wrapper(project, describe)
    signature = inspect.signature(describe)
    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    project.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[this, *signature.parameters.values()], return_annotation="Result"
    )
    project.__name__ = project.__qualname__ = "project_" + describe.__name__.replace("_output", "")
    project.__doc__ = (describe.__doc__ or "").replace("Describe", "Project", 1)
    return project
