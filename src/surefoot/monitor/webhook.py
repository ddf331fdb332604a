"""Alerts sent to an address of the user's own: again and again until it takes them, and never in anybody's way."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from socket import gethostname

import msgspec

from surefoot.core.errors import UsageError

_TIMEOUT = 10  # seconds
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 300.0
_GIVEN_UP = (400, 404, 405, 410, 413, 422)  # what no second try changes


def check_url(url: str) -> None:
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"--webhook {url[:80]!r} is no address", "write https://HOST/PATH")


class Webhook:
    """One thread that sends. `name` is that of the monitor, as several may speak in one chat. `waiting` are alerts that
    did not get through yet: whoever keeps them loses none."""

    def __init__(self, url: str, name: str, tell: Callable[[str], None], waiting: Iterable[str] = ()) -> None:
        self._url, self._name, self._tell = url, f"Surefoot on {gethostname()}, {name}", tell
        self.waiting = list(waiting)
        self.failures = 0
        self._news, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="surefoot-webhook", daemon=True)
        self._thread.start()

    def send(self, text: str) -> None:
        self.waiting.append(f"{self._name}: {text}")
        self._news.set()

    def close(self) -> None:
        """What waits gets one more try."""
        self._ending.set()
        self._news.set()
        self._thread.join(_TIMEOUT + 1)

    def _work(self) -> None:
        pause = _FIRST_PAUSE
        while self.waiting or not self._ending.is_set():
            if not self.waiting:
                self._news.wait()
                self._news.clear()
            elif self._is_taken(self.waiting[0]):
                self.waiting.pop(0)
                pause = _FIRST_PAUSE
            elif self._ending.is_set():
                return
            else:
                self._ending.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)

    def _is_taken(self, text: str) -> bool:
        """Chats show `text`."""
        body = msgspec.json.encode({"text": text})
        request = urllib.request.Request(self._url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT):
                return True
        except urllib.error.HTTPError as error:
            why, is_final = f"it answered {error.code}", error.code in _GIVEN_UP
        except (OSError, ValueError) as error:
            why, is_final = str(getattr(error, "reason", error)), False
        self.failures += 1
        if self.failures == 1 or is_final:
            self._tell(f"warning: an alert could not be sent: {why}" + ("" if is_final else "; it is tried again"))
        return is_final
