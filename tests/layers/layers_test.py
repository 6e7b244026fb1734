#!/usr/bin/env python3
"""Proves that layers.py goes red on each thing it is there to find, and stays green otherwise
(L-33)."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

LAYERS = pathlib.Path(__file__).with_name("layers.py")
UNDONE = "TO" + "DO"


def verdict(files):
    """Exit status and output of layers.py over a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, str(LAYERS), folder], capture_output=True,
                             text=True, check=False)
        return run.returncode, run.stdout + run.stderr


class Layers(unittest.TestCase):
    def expect_green(self, files):
        status, output = verdict(files)
        self.assertEqual(status, 0, output)

    def expect_red(self, files, words):
        status, output = verdict(files)
        self.assertEqual(status, 1, output)
        self.assertIn(words, output)

    def test_arrows_that_point_down_are_fine(self):
        self.expect_green({
            "include/lazaret/a.hpp": '#include <vector>\n#include "lazaret/b.hpp"\n',
            "src/base/a.cpp": '#include "base/a.hpp"\n#include "lazaret/a.hpp"\n',
            "src/os/linux/a.cpp": '#include "base/a.hpp"\n#ifdef __linux__\n#endif\n',
            "src/backend/a.cpp": '#include "engine/a.hpp"\n#include "runner/frame.hpp"\n',
            "src/core/a.cpp": '#include "backend/backend.hpp"\n',
            "src/api/cli/a.cpp": '#include "core/a.hpp"\n#include "policy/config.hpp"\n',
            "src/main.cpp": '#include "api/cli/a.hpp"\n#include "engine/a.hpp"\n',
        })

    def test_base_may_include_no_other_room(self):
        self.expect_red({"src/base/a.cpp": '#include "os/a.hpp"\n'}, 'may not include "os/a.hpp"')

    def test_policy_may_not_reach_the_system(self):
        self.expect_red({"src/policy/a.hpp": '# include "os/a.hpp"\n'}, "policy may not")

    def test_engine_may_not_know_the_backend(self):
        self.expect_red({"src/engine/a.cpp": '#include "backend/a.hpp"\n'}, "engine may not")

    def test_core_sees_backends_only_through_their_interface(self):
        self.expect_red({"src/core/a.cpp": '#include "backend/docker/a.hpp"\n'}, "core may not")

    def test_api_may_not_skip_core(self):
        self.expect_red({"src/api/cli/a.cpp": '#include "engine/a.hpp"\n'}, "api may not")

    def test_a_room_that_is_not_in_the_table_is_refused(self):
        self.expect_red({"src/utils/a.cpp": '#include "base/a.hpp"\n'}, "not in the table")

    def test_an_include_without_its_room_is_refused(self):
        self.expect_red({"src/base/a.cpp": '#include "a.hpp"\n'}, "not named by its room")
        self.expect_red({"src/base/a.cpp": '#include "../os/a.hpp"\n'}, "not named by its room")

    def test_public_headers_include_only_the_standard_library(self):
        self.expect_red({"include/lazaret/a.hpp": "#include <boost/asio.hpp>\n"}, "public header")
        self.expect_red({"include/lazaret/a.hpp": '#include "base/a.hpp"\n'}, "public header")

    def test_the_platform_is_asked_for_only_in_os_and_backend(self):
        for line in ("#ifdef _WIN32", "#if defined(__linux__)", "#  elif defined(__APPLE__)"):
            with self.subTest(line):
                self.expect_red({"src/core/a.cpp": line + "\n"}, "asks for the platform")

    def test_no_source_includes_another(self):
        self.expect_red({"src/base/a.cpp": '#include "base/b.cpp"\n'}, "is no header")

    def test_a_name_that_a_source_takes_is_used_in_it(self):
        self.expect_green({"src/base/a.cpp": "using a::Xy;\nXy x;\n"})
        self.expect_green({"src/base/a.hpp": "using a::Xy;\n"})
        self.expect_red({"src/base/a.cpp": "using a::Xy;\nXyz x;\n"}, "nothing named Xy")
        self.expect_red({"tests/unit/a.cpp": "using a::Xy;\n"}, "nothing named Xy")

    def test_the_limits_of_files_and_lines_hold_at_and_one_past(self):
        self.expect_green({"src/base/a.cpp": "x\n" * 400})
        self.expect_red({"src/base/a.cpp": "x\n" * 401}, "401 lines")
        self.expect_green({"src/base/a.cpp": "é" * 100 + "\n"})
        self.expect_red({"src/base/a.cpp": "é" * 101 + "\n"}, "101 columns")

    def test_foreign_programs_are_not_held_to_the_style(self):
        self.expect_green({"src/base/a.cpp": "", "tests/corpus/a.py": "x" * 200 + "\n"})

    def test_nothing_is_left_undone(self):
        self.expect_red({"src/base/a.cpp": f"// {UNDONE}: later\n"}, UNDONE)
        self.expect_red({"tests/tools/a.sh": f"# {UNDONE}(somebody) later\n"}, UNDONE)

    def test_an_empty_tree_is_not_a_passed_one(self):
        status, output = verdict({"README.md": ""})
        self.assertEqual(status, 1, output)


if __name__ == "__main__":
    unittest.main()
