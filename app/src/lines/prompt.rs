//! A line that is typed on a terminal: it can be edited, completed, and taken from earlier ones.
//!
//! A letter at the end of the line is written alone, because a screen reader reads what is written.

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::{History, MemHistory, SearchDirection};
use rustyline::validate::Validator;
use rustyline::{Cmd, Config, Context, Editor, Helper, KeyEvent, Result};
use std::io::{self, IsTerminal};

/// How many lines are remembered.
const MOST_LINES: usize = 1_000_000;

/// The words that Tab completes.
struct Words(Vec<String>);

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> Result<(usize, Vec<String>)> {
        let typed = line.get(..at).unwrap_or(line).to_lowercase();
        let fitting = self.0.iter().filter(|word| word.starts_with(&typed));
        Ok((0, fitting.cloned().collect()))
    }
}

impl Helper for Words {}
impl Highlighter for Words {}
impl Hinter for Words {
    type Hint = String;
}
impl Validator for Words {}

/// Where lines are typed, with those that were typed before.
pub struct Prompt {
    editor: Editor<Words, MemHistory>,
    /// How many lines are from earlier sessions.
    earlier: usize,
}

impl Prompt {
    /// A prompt that begins with these earlier lines; none where the terminal cannot move its cursor.
    pub fn new(earlier: &[String]) -> Option<Prompt> {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if is_dumb || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return None;
        }
        let config = Config::builder()
            .max_history_size(MOST_LINES)
            .ok()?
            .auto_add_history(true)
            .completion_show_all_if_ambiguous(true)
            .bracketed_paste(false)
            .build();
        let history = MemHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history).ok()?;
        // Ctrl-D that was pressed before the line was there arrives as a null.
        editor.bind_sequence(KeyEvent::ctrl('@'), Cmd::EndOfFile);
        for line in earlier {
            editor.add_history_entry(line).ok()?;
        }
        let earlier = editor.history().len();
        Some(Prompt { editor, earlier })
    }

    /// Asks on the terminal; `None` when the input has ended. `words` are what Tab completes.
    pub fn ask(&mut self, prompt: &str, words: Vec<String>) -> io::Result<Option<String>> {
        self.editor.set_helper(Some(Words(words)));
        match self.editor.readline(&format!("{prompt} ")) {
            Ok(line) => Ok(Some(line)),
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// The lines typed in this session, the latest last.
    pub fn new_lines(&self) -> Vec<String> {
        let history = self.editor.history();
        let line = |at| history.get(at, SearchDirection::Forward).ok().flatten();
        (self.earlier..history.len())
            .filter_map(line)
            .map(|found| found.entry.into_owned())
            .collect()
    }
}
