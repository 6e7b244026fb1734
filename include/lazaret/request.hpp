#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "lazaret/confinement.hpp"
#include "lazaret/control.hpp"
#include "lazaret/limits.hpp"
#include "lazaret/terminal.hpp"

namespace lazaret {

enum class Stream { standard_output, standard_error };

/// What is put below /work before the code runs.
struct Input {
  /// Where, relative to /work: names with '/' between them; directories on the way are made. "." is
  /// /work itself, for a directory only. The code's own file is never replaced.
  std::string path;
  std::string content;  ///< of a file, unless there is a source
  /// A file or a directory of this machine's instead. Links in a directory are put as links where
  /// they stay within it, and refused otherwise; none is followed.
  std::optional<std::string> source;
  bool executable = false;  ///< of `content`; a source says so itself
  /// `content` is a tar archive (ustar, pax or GNU's, not compressed) of what a directory holds,
  /// which is put as one of this machine's is.
  bool is_archive = false;
};

struct Artifact;
/// Takes what a program has left: each thing as `begun`, first /work/out itself (path "."), then a
/// file's bytes with `begun` null; an empty piece ends the file. Its size is not known before.
/// False: nothing more is wanted. Called on the thread of the run, which waits; may not throw.
using ArtifactSink = std::function<bool(const Artifact* begun, std::string_view bytes)>;

/// What a caller asks for. Untrusted: it is validated before anything is made.
struct ExecutionRequest {
  /// "python", "javascript", "typescript", "bash", "sh", "c", "cpp", "rust", "go" or "java" (also
  /// "py", "node", "js", "ts", "deno", "c++", …). Ignored when `command` is set.
  std::string language = "python";
  /// Source text, UTF-8, at most 1 MiB, without NUL bytes.
  std::string code;
  /// Runs this program instead of code; the first element is looked up in the box's PATH.
  std::vector<std::string> command;
  /// In a session: the interpreter that runs the code and keeps what it leaves there, variables and
  /// imports, for the next run with the same name. It is started by the first; 1 to 64 letters,
  /// digits, dots, dashes and underscores; empty: one of its own, which ends with the run. For
  /// python and javascript; without arguments and standard input.
  std::string context;
  /// Arguments for the code (sys.argv[1:], process.argv.slice(2), "$@").
  std::vector<std::string> arguments;
  /// Standard input, at most 1 MiB; at its end the program reads end-of-file.
  std::string stdin_data;
  /// Streams standard input instead: returns the next bytes, an empty string at the end. It is
  /// called on a thread of its own and must return soon after the stop token is triggered.
  std::function<std::string(std::stop_token)> stdin_source;
  /// The program has a terminal of this size as standard input, output and error, which come all
  /// as standard output then, and as it is written: nothing of `on_output` is held back. The end
  /// of the input is a Ctrl-D, and it has no limit. Its run is ended by TERM, then HUP, then KILL.
  /// Not in a context.
  std::optional<TerminalSize> terminal;
  /// Added to the box's own PATH, HOME, LANG, TZ and TMPDIR. Names that change how programs are
  /// loaded (LD_PRELOAD, PYTHONPATH, …) are refused.
  std::map<std::string, std::string> environment;
  /// Where the program begins: a directory of the box's that is there once the inputs have been
  /// put, absolute or relative to /work, at most 4095 bytes. Empty: /work. Not in a context. A
  /// compiler works in /work.
  std::string working_directory;
  /// Put in this order; nothing replaces what is there already, but for what earlier runs of a
  /// session have left. All of them fit into `disk_bytes`.
  std::vector<Input> inputs;
  /// What the program imports beside its language's own, at most 256 words: files of this
  /// machine's, for python wheels (.whl) and source archives (.tar.gz, .zip), for javascript what
  /// `npm pack` makes (.tgz); and what an index is asked for ("numpy==2.1", "lodash@^4"), not
  /// beside source archives. pip or npm fetches and installs them with all that they need, once, in
  /// boxes of their own without a network: Lazaret connects them to the index, which $PIP_INDEX_URL
  /// or $NPM_CONFIG_REGISTRY names. Files alone are all that there is; nothing is asked for then.
  /// This run and later ones with the same words see the outcome read-only at /mnt/packages, and
  /// have no network. In native boxes; for a session's runs the session decides.
  std::vector<std::string> packages;
  /// Receives what the program leaves in /work/out, which is made for it: a directory of this
  /// machine's that is empty, or not there yet. Links are not taken.
  std::optional<std::string> output_directory;
  /// Receives it instead, piece by piece while it is taken from the box, links and all else too,
  /// in 60 s or as long as the run may take; the result lists none of it. To be trusted is only
  /// that no name leads out of /work/out or comes twice, and that a directory comes before what is
  /// in it.
  ArtifactSink on_artifact;
  /// Whether the artifacts of the result bring their content, up to 8 MiB in all.
  bool return_artifacts = false;
  /// Fixes what differs from run to run of the same program: time zone and locale (UTC, C.UTF-8),
  /// python's hash seed and the seed of `random`, also where it forks, Math.random.
  /// What is drawn from the kernel (os.urandom, crypto) stays random, programs that it starts draw
  /// their own, and the clock goes on. `meta.fixed` says what was fixed. `environment` may not name
  /// TZ, LANG, LANGUAGE, LC_* or PYTHON*.
  bool deterministic = false;
  LimitOverrides limits;
  /// Unset: the configured one. What is denied here is required too, unless `required_controls`
  /// says otherwise.
  std::optional<Subprocess> subprocess;
  std::optional<Profile> profile;    ///< unset: the configured one
  std::optional<Loopback> loopback;  ///< unset: the configured one, or what the profile says
  /// Whom the program may reach: HOST, HOST:PORT or *.HOST (those below it), at most 64; without a
  /// port 80 and 443. Its only way out is a proxy of ours at $HTTPS_PROXY, which looks names up and
  /// leads to public addresses, to others only where the configuration names the host; TLS may not
  /// begin by asking for another one. The loopback is up. `meta.connections` says what came of it.
  /// In native boxes; for a session's runs the session decides.
  std::vector<std::string> hosts;
  /// Directories of the host's, at most eight. What is writable is the caller's to lose: a box that
  /// root asks for is user 65534 there, an ordinary user's may be the user himself.
  std::vector<Mount> mounts;
  /// Container image instead of the configured one for the language.
  std::optional<std::string> image;
  /// Controls without which the code must not run; unset: the configured ones.
  std::optional<std::set<Control>> required_controls;
  /// Called with output as it arrives until half of the stream's cap is full; with the rest in the
  /// end if none was cut. No two calls overlap. Return soon: meanwhile no deadline is looked at.
  std::function<void(Stream, std::string_view)> on_output;
  /// Called when the program has been started, with a function that sends it a signal (1 to 64,
  /// signal(7)). It may be kept, is thread-safe, returns within 100 ms, and does nothing once the
  /// run has ended.
  std::function<void(std::function<void(int number)>)> on_start;
  /// Likewise, of a program with a terminal, with a function that changes its size.
  std::function<void(std::function<void(TerminalSize size)>)> on_terminal;
  /// Called with what is done before the program can run, where that may take long: that packages
  /// are fetched, and installed. Return soon.
  std::function<void(std::string_view)> on_progress;
  /// Ends the run: TERM, grace, KILL, and a result with cause `cancelled`.
  std::stop_token stop;
};

}  // namespace lazaret
