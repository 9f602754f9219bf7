"""Files of the runtime: no other user can plant or exchange one, and no pipe stops a reader."""

import os
import stat

import pytest

from outhaul.files import journal
from outhaul.files.partial_output import Draft
from outhaul.files.private_files import open_regular, private_folder, read_private, write_private
from outhaul.graph.costs import Costs
from outhaul.runtime import protocol

RATES = dict.fromkeys(("load", "store", "peer", "read", "write"), 1e9)


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def planted(path, kind):
    """Puts something that is not a regular file at a path."""
    if kind == "pipe":
        os.mkfifo(path)
    else:
        os.symlink({"endless": "/dev/zero", "other": f"{path}.victim"}[kind], path)


@pytest.fixture(params=["pipe", "endless", "other"])
def kind(request):
    return request.param


def test_what_is_not_a_regular_file_is_not_opened(tmp_path, kind):
    path = str(tmp_path / "file")
    (tmp_path / "file.victim").write_text("kept")
    planted(path, kind)
    for flags in (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY | os.O_APPEND):
        with pytest.raises(OSError):
            open_regular(path, flags)
    with pytest.raises(OSError):
        read_private(path)
    write_private(path, "mine")
    assert read_private(path) == "mine" and mode(path) == 0o600
    assert (tmp_path / "file.victim").read_text() == "kept"
    assert sorted(os.listdir(tmp_path)) == ["file", "file.victim"]


def test_a_file_that_others_could_read_is_narrowed_with_a_warning(tmp_path):
    path = tmp_path / "key"
    path.write_text("secret")
    path.chmod(0o644)
    with pytest.warns(UserWarning, match="could be read by other users"):
        assert read_private(str(path)) == "secret"
    assert mode(path) == 0o600


def test_the_key_is_made_once_in_a_folder_of_this_user(tmp_path, monkeypatch):
    monkeypatch.delenv("OUTHAUL_RUNTIME_KEY", raising=False)
    path = tmp_path / "home" / "runtime.key"
    monkeypatch.setattr(protocol, "KEY_FILE", str(path))
    assert protocol.key_of_this_user(create=False) == ""
    key = protocol.key_of_this_user(create=True)
    assert len(key) == 64 and mode(path) == 0o600 and mode(path.parent) == 0o700
    write_private(str(path), "another process's", replace=False)
    assert protocol.key_of_this_user(create=True) == key
    path.parent.chmod(0o777)
    with pytest.raises(PermissionError, match="chmod"):
        private_folder(str(path.parent))


def test_costs_are_kept_without_a_name_that_others_can_take(tmp_path):
    path, victim = tmp_path / "costs", tmp_path / "victim"
    victim.write_text("kept")
    (tmp_path / "costs.part").symlink_to(victim)
    costs = Costs(RATES, str(path))
    costs.compute_ns["key"] = 5
    costs._keep()
    assert Costs(RATES, str(path)).compute_ns == {"key": 5}
    assert victim.read_text() == "kept"


def test_planted_drafts_and_journals_stop_no_run(tmp_path, kind):
    path = str(tmp_path / "result.npy")
    (tmp_path / "result.npy.outhaul-00000000.part.victim").write_text("kept")
    planted(f"{path}.outhaul-00000000.part", kind)
    planted(f"{path}.outhaul-00000001.part.journal", "pipe")
    assert not Draft(path).adopt(lambda name: True)
    assert journal.noted(f"{path}.outhaul-00000001.part", "signature") is None
    draft = Draft(path)
    draft.open_file()
    os.write(draft.descriptor, b"whole")
    draft.take_name()
    assert (tmp_path / "result.npy").read_bytes() == b"whole"
    assert (tmp_path / "result.npy.outhaul-00000000.part.victim").read_text() == "kept"
