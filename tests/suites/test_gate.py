"""Tests that the runner of sections is right: it misses no failure, and names each."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import crates
from runner import Runner
from section import Section

SAY = """#!/usr/bin/env bash
say() { printf '%s\\t%s\\t%s\\n' "$1" "$2" "${3:-}" >>"$OUTHAUL_VERDICTS"; }
"""


class Gate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # A failed test of a test would otherwise print lines that look like this one's.
        quiet = contextlib.redirect_stdout(io.StringIO())
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)

    def script(self, text):
        path = self.folder / f"{len(list(self.folder.iterdir()))}.sh"
        path.write_text(SAY + text)
        path.chmod(0o755)
        return str(path)

    def run_section(self, text, limit_s=30, **options):
        """Runs a section of such a script. Returns the reasons of failures and the names of flaky
        tests."""
        runner = Runner(self.folder)
        runner.run([Section("x", [self.script(text)], limit_s, **options)])
        [outcome] = runner.outcomes
        failed = {verdict.name: verdict.why for verdict in outcome.of("failed")}
        return failed, [verdict.name for verdict in outcome.flaky]

    def once(self, first, second):
        """Returns a script that does `first` in its first run, and `second` later."""
        mark = self.folder / "mark"
        return f"if [ -e {mark} ]; then {second}; else touch {mark}; {first}; fi"

    def test_what_passes_the_second_time_is_flaky(self):
        text = self.once("say passed a; say failed b why; exit 1", "say passed a; say passed b")
        self.assertEqual(self.run_section(text, retries=True), ({}, ["b"]))

    def test_what_does_not_pass_the_second_time_has_failed(self):
        for second in ["say passed a; say skipped b", "say passed a", "exit 0"]:
            (self.folder / "mark").unlink(missing_ok=True)
            text = self.once("say passed a; say failed b why; exit 1", second)
            failed, flaky = self.run_section(text, retries=True)
            self.assertEqual((failed["b"], flaky), ("why", []))

    def test_sections_that_wait_run_at_once(self):
        marks = [self.folder / "first", self.folder / "second"]
        for waits in (True, False):
            for mark in marks:
                mark.unlink(missing_ok=True)
            runner = Runner(self.folder)
            runner.run(
                [
                    Section(f"{own.name}", [self.script(self.meet(own, other))], 1, waits=waits)
                    for own, other in (marks, reversed(marks))
                ]
            )
            self.assertEqual(
                [bool(one.of("failed")) for one in runner.outcomes], [not waits, False]
            )

    def meet(self, own, other):
        """Returns a script that succeeds once the other has begun."""
        return f"touch {own}; until [ -e {other} ]; do sleep 0.05; done; say passed a"

    def test_a_section_that_dies_runs_again_whole(self):
        dies = "say failed b why; kill -9 $$"
        for end, limit_s in [(dies, 30), ("say failed b why; sleep 60", 2)]:
            (self.folder / "mark").unlink(missing_ok=True)
            text = self.once(end, "[ $# = 0 ] || exit 0; say passed b; say failed c never; exit 1")
            failed, flaky = self.run_section(text, limit_s, retries=True, retries_by_name=True)
            self.assertEqual((failed["c"], flaky), ("never", ["b"]))
            self.assertIn("x", failed)

    def test_every_early_end_is_a_failure_with_a_reason(self):
        for text, why in [
            ("exit 0", "it ran no test"),
            ("say passed a; exit 7", "exit status 7: it printed nothing"),
            ("say passed a; echo ok  a: error 5 as meant; exit 1", "exit status 1: it ended after"),
            ("say passed a; echo broken >>$OUTHAUL_VERDICTS", "a line that is no verdict"),
        ]:
            failed, _ = self.run_section(text)
            self.assertIn(why, failed["x"])
        runner = Runner(self.folder)
        runner.run([Section("x", ["/nowhere/x.sh"], 30)])
        self.assertIn("cannot be run", runner.outcomes[0].of("failed")[0].why)

    def test_control_characters_change_nothing(self):
        failed, _ = self.run_section("say failed $'b\\x1b[2J' $'10%\\r20%\\x0b'; say failed c")
        self.assertEqual(failed, {"b [2J": "10% 20% ", "c": ""})

    def failed_of(self, text, *names):
        executable = crates.Executable("e", self.script(text), str(self.folder), "unit")
        verdicts = crates.run_all(executable, names, 30)[0]
        return {verdict.name: verdict.why for verdict in verdicts if verdict.outcome == "failed"}

    def test_an_executable_that_dies_has_a_failed_test(self):
        after = self.failed_of("echo test a ... ok; kill -SEGV $$", "a")
        self.assertIn("killed by SIGSEGV", after["e"])
        alone = (
            "case $* in *nocapture*) echo 'test result: ok. 1 passed'; exit;; esac; kill -ABRT $$"
        )
        self.assertIn("killed by SIGABRT", self.failed_of(alone, "a", "b")["e"])
        self.assertEqual(self.failed_of("kill -SEGV $$", "a"), {"e::a": "killed by SIGSEGV"})
        self.assertIn("e::a", self.failed_of("exit 0", "a"))


if __name__ == "__main__":
    unittest.main()
