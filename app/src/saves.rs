//! Files between two runs: saved, unfinished and finished games, and the last choices.
//!
//! A file is written under another name and then renamed, so that a crash leaves either the old one or the
//! new one. A game never replaces another, and a lock beside the file of an unfinished one keeps it from
//! being open twice.

mod choices;
mod files;

pub use choices::{Choices, Chosen};

use crate::sitting::Sitting;
use files::{MOST_BYTES, READABLE, TYPED, create, delete, ending, replace, said, text};
use rules::game::shorten;
use rules::record::{Record, Verdict};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

/// How many games of a kind can be saved on one day.
const MOST_NAMES: usize = 10_000;
/// The longest name of a saved game, in bytes.
const LONGEST_NAME: usize = 100;

/// The folder of the user's games and choices.
#[derive(Clone, Debug)]
pub struct Saves {
    folder: PathBuf,
}

/// A folder for one kind of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shelf {
    /// Games that were saved by hand.
    Saved,
    /// Games that have not ended.
    Unfinished,
    /// All games that have ended.
    Finished,
}

impl Shelf {
    const fn folder(self) -> &'static str {
        match self {
            Shelf::Saved => "games",
            Shelf::Unfinished => "unfinished",
            Shelf::Finished => "finished",
        }
    }
}

/// A file of a game, which may turn out to be damaged.
#[derive(Clone, Debug)]
pub struct Kept {
    pub path: PathBuf,
    pub shelf: Shelf,
    changed: SystemTime,
}

impl Kept {
    /// The name of the file without folder and extension.
    pub fn name(&self) -> String {
        self.path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Locks the file of a game that is not finished.
    fn lock(&self) -> Result<Option<Slot>, String> {
        match self.shelf {
            Shelf::Unfinished => Slot::lock(&self.path).map(Some),
            Shelf::Saved | Shelf::Finished => Ok(None),
        }
    }
}

/// The file of an unfinished game, locked for this program until this is dropped.
#[derive(Debug)]
pub struct Slot {
    path: PathBuf,
    /// The system releases it when the program ends, however it ends.
    lock: File,
}

impl Slot {
    /// Locks the file of a game, or says that it is open elsewhere.
    fn lock(path: &Path) -> Result<Slot, String> {
        let beside = lock_path(path);
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&beside)
            .map_err(|error| said(&beside, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Slot { path: path.to_owned(), lock }),
            Err(TryLockError::WouldBlock) => {
                Err("this game is open in another window: go on there, or close it first".into())
            }
            Err(TryLockError::Error(error)) => Err(said(&beside, error)),
        }
    }
}

fn lock_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.lock"))
}

/// The folder of this program among the user's data, if the user has one.
pub fn usual_folder() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let usual = || Some(std::env::home_dir()?.join(".local/share"));
    let data = named.filter(|path| path.is_absolute()).or_else(usual);
    data.filter(|path| path.is_absolute()).map(|data| data.join("quadrille"))
}

impl Saves {
    /// This folder, or by default the one among the user's data.
    pub fn open(folder: Option<&Path>) -> Result<Saves, String> {
        let folder = folder.map(Path::to_owned).or_else(usual_folder);
        folder.map(|folder| Saves { folder }).ok_or_else(|| {
            "there is no folder to save games in: set HOME, or name one with --data".into()
        })
    }

    /// Writes an unfinished game to its file, which is created if there is none yet.
    pub fn keep(&self, slot: &mut Option<Slot>, record: &Record) -> Result<(), String> {
        if let Some(Slot { path, .. }) = slot {
            let written = replace(path, record.to_string().as_bytes(), READABLE);
            return written.map_err(|error| said(path, error));
        }
        let path = self.add(Shelf::Unfinished, record)?;
        *slot = Some(Slot::lock(&path)?);
        Ok(())
    }

    /// Adds a game to the finished ones, and removes it from the unfinished ones.
    pub fn finish(&self, slot: &mut Option<Slot>, record: &Record) -> Result<PathBuf, String> {
        let path = self.add(Shelf::Finished, record)?;
        self.forget(slot)?;
        Ok(path)
    }

    /// Opens a game, unless it is unfinished and open elsewhere.
    pub fn claim(&self, kept: &Kept) -> Result<(Sitting, Option<Slot>), String> {
        let slot = kept.lock()?;
        // Read only now: it may have changed elsewhere since it was listed.
        Ok((read(&kept.path)?, slot))
    }

    /// Removes the file of a game that is not to be continued.
    pub fn forget(&self, slot: &mut Option<Slot>) -> Result<(), String> {
        let Some(Slot { path, lock }) = slot.take() else { return Ok(()) };
        let removed = delete(&path);
        let _ = fs::remove_file(lock_path(&path));
        drop(lock);
        removed
    }

    /// Removes a game permanently, unless it is unfinished and open elsewhere, where it would be written again.
    pub fn delete(&self, kept: &Kept) -> Result<(), String> {
        match kept.lock()? {
            Some(slot) => self.forget(&mut Some(slot)),
            None => delete(&kept.path),
        }
    }

    /// A name for a game that no saved game has yet.
    pub fn free_name(&self, record: &Record) -> String {
        let folder = self.folder.join(Shelf::Saved.folder());
        let stem = stem(record);
        let names = (1..=MOST_NAMES).map(|number| format!("{stem}-{number}"));
        let mut free = names.filter(|name| !folder.join(format!("{name}.txt")).exists());
        free.next().unwrap_or(stem)
    }

    /// Saves a game under this name, in a file of its own.
    pub fn save(&self, name: &str, record: &Record) -> Result<PathBuf, String> {
        let name = name.trim();
        let is_name = !name.is_empty()
            && name.len() <= LONGEST_NAME
            && !name.starts_with('.')
            && !name.contains(|c: char| c.is_control() || "/\\:*?\"<>|".contains(c));
        if !is_name {
            return Err(format!(
                "`{}` cannot be the name of a file: use letters, digits, blanks and hyphens",
                shorten(name)
            ));
        }
        let taken = || format!("there is already a game `{name}`: choose another name");
        self.store(Shelf::Saved, name, record)?.ok_or_else(taken)
    }

    /// Adds a game under a name of its own.
    fn add(&self, shelf: Shelf, record: &Record) -> Result<PathBuf, String> {
        let stem = stem(record);
        for number in 1..=MOST_NAMES {
            if let Some(path) = self.store(shelf, &format!("{stem}-{number}"), record)? {
                return Ok(path);
            }
        }
        let folder = self.folder.join(shelf.folder());
        Err(format!("there are already {MOST_NAMES} games of today in {}", folder.display()))
    }

    /// Creates the file of a game; `None` if the name is taken.
    fn store(&self, shelf: Shelf, name: &str, record: &Record) -> Result<Option<PathBuf>, String> {
        let folder = self.folder.join(shelf.folder());
        let path = folder.join(format!("{name}.txt"));
        if path.exists() {
            return Ok(None);
        }
        fs::create_dir_all(&folder).map_err(|error| said(&folder, error))?;
        match create(&path, record.to_string().as_bytes()) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(said(&path, error)),
            Ok(()) => Ok(Some(path)),
        }
    }

    /// The games of a shelf, the latest first.
    pub fn list(&self, shelf: Shelf) -> Vec<Kept> {
        let Ok(folder) = fs::read_dir(self.folder.join(shelf.folder())) else { return Vec::new() };
        let kept = |entry: fs::DirEntry| {
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            let is_game = path.extension().is_some_and(|ending| ending == "txt") && !hidden;
            // Anything else, such as a pipe, could block forever.
            let data = fs::metadata(&path).ok().filter(|data| is_game && data.is_file())?;
            Some(Kept { path, shelf, changed: data.modified().ok()? })
        };
        let mut all: Vec<_> = folder.flatten().filter_map(kept).collect();
        all.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.path.cmp(&b.path)));
        all
    }

    /// All games: unfinished, saved, finished.
    pub fn all(&self) -> Vec<Kept> {
        let shelves = [Shelf::Unfinished, Shelf::Saved, Shelf::Finished].into_iter();
        shelves.flat_map(|shelf| self.list(shelf)).collect()
    }

    /// The last unfinished game that can be read, and what is wrong with a later one.
    pub fn latest(&self) -> (Option<(Kept, Sitting)>, Option<String>) {
        let mut trouble = None;
        for kept in self.list(Shelf::Unfinished) {
            match read(&kept.path) {
                Ok(sitting) => return (Some((kept, sitting)), trouble),
                Err(error) => trouble = trouble.or(Some(format!("damaged: {error}"))),
            }
        }
        (None, trouble)
    }

    /// The last choices, or why their file cannot be read; such a file is not touched.
    pub fn choices(&self) -> Result<Choices, String> {
        self.json("choices.json")
    }

    pub fn remember(&self, choices: &Choices) -> Result<(), String> {
        self.set_json("choices.json", &choices.to_keep(), READABLE)
    }

    /// The lines typed in line mode, the latest last: as much of the end of the file as is kept.
    pub fn typed_lines(&self) -> Vec<String> {
        let text = ending(&self.folder.join(TYPED)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Appends what was typed to the lines of other sessions, earlier and running ones.
    pub fn add_typed_lines(&self, lines: &[String]) -> Result<(), String> {
        if lines.is_empty() {
            return Ok(());
        }
        fs::create_dir_all(&self.folder).map_err(|error| said(&self.folder, error))?;
        let path = self.folder.join(TYPED);
        let add = || -> io::Result<()> {
            let mut file = File::options().create(true).append(true).open(&path)?;
            file.write_all((lines.join("\n") + "\n").as_bytes())?;
            if file.metadata()?.len() > MOST_BYTES {
                replace(&path, ending(&path)?.as_bytes(), READABLE)?;
            }
            Ok(())
        };
        add().map_err(|error| said(&path, error))
    }

    /// The contents of a file in the folder; none if it does not exist.
    pub fn json<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, String> {
        let path = self.folder.join(name);
        match text(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(T::default()),
            Err(error) => Err(said(&path, error)),
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| format!("{} is damaged: {error}", path.display())),
        }
    }

    /// Replaces a file of the folder, with these permissions.
    pub fn set_json(&self, name: &str, value: &impl Serialize, mode: u32) -> Result<(), String> {
        let bytes = serde_json::to_vec_pretty(value).map_err(|error| error.to_string())?;
        self.set(name, &bytes, mode)
    }

    fn set(&self, name: &str, bytes: &[u8], mode: u32) -> Result<(), String> {
        fs::create_dir_all(&self.folder).map_err(|error| said(&self.folder, error))?;
        let path = self.folder.join(name);
        replace(&path, bytes, mode).map_err(|error| said(&path, error))
    }
}

/// How a game that is being played is kept: in a file while it goes on, then with the finished ones.
#[derive(Default)]
pub struct Keeper {
    slot: Option<Slot>,
    /// The turns and the result with which it was last put with the finished ones.
    finished: Option<String>,
}

impl Keeper {
    /// Keeps a game from now on; one that has ended already is kept.
    pub fn new(sitting: &Sitting, slot: Option<Slot>) -> Keeper {
        Keeper { slot, finished: sitting.result().is_some().then(|| course(sitting)) }
    }

    /// Writes an unfinished game to its file, and puts a finished one with the others.
    pub fn keep(&mut self, sitting: &Sitting, saves: &Saves, now: Instant) -> Result<(), String> {
        let is_over = sitting.result().is_some();
        // A server keeps its own games until they end, and games of others permanently.
        if sitting.own.is_some() && (!is_over || sitting.looks_on()) {
            return Ok(());
        }
        let has_turns = sitting.board.turns_played() > 0;
        let is_kept = self.finished.as_ref().is_some_and(|known| *known == course(sitting));
        match is_over {
            true if !has_turns || is_kept => saves.forget(&mut self.slot),
            true => {
                let kept = saves.finish(&mut self.slot, &sitting.record(now));
                kept.map(|_| self.finished = Some(course(sitting)))
            }
            false if !has_turns && self.slot.is_none() => Ok(()),
            false => saves.keep(&mut self.slot, &sitting.record(now)),
        }
    }
}

/// The turns and the result of a game, in one text.
fn course(sitting: &Sitting) -> String {
    format!("{} {}", sitting.board.history().join(" "), Verdict::from(sitting.result()))
}

/// Reads the game of a file, or says what is wrong with it.
pub fn read(path: &Path) -> Result<Sitting, String> {
    let text = text(path).map_err(|error| said(path, error))?;
    Sitting::from_text(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The values of the tags of the record in a file, without replaying its game.
pub fn about(path: &Path) -> String {
    let text = text(path).unwrap_or_default();
    let tag = |line: &str| {
        let (name, value) = line.strip_prefix('[')?.split_once(' ')?;
        let value = value.trim_end_matches(']').trim_matches('"');
        // As the list shows results, so that they can be searched for.
        let is_draw = name == "Result" && value.contains("1/2");
        Some(if is_draw { "draw".to_owned() } else { value.to_owned() })
    };
    text.lines().map_while(tag).collect::<Vec<_>>().join(" ")
}

/// The beginning of a file name: `gekitai-2026-05-01`.
fn stem(record: &Record) -> String {
    let game = record.tag("Game").unwrap_or("game");
    format!("{game}-{}", record.tag("Date").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sitting::seat;
    use std::time::Instant;
    use tempfile::TempDir;

    /// A folder that is removed after the test.
    struct Own(Saves, #[allow(dead_code)] TempDir);

    impl std::ops::Deref for Own {
        type Target = Saves;

        fn deref(&self) -> &Saves {
            &self.0
        }
    }

    fn folder() -> Own {
        let folder = TempDir::new().unwrap();
        Own(Saves::open(Some(folder.path())).unwrap(), folder)
    }

    fn record(turns: usize) -> Record {
        let entry = &engine::GAMES[1];
        let game = (entry.start)(&Default::default()).unwrap();
        let seats = [seat::person("Ana"), seat::person("Ben")].into();
        let mut sitting = Sitting::new(entry, game, seats, None);
        for _ in 0..turns {
            let turn = sitting.board.turns().remove(0);
            sitting.play(&turn, Instant::now()).unwrap();
        }
        sitting.record(Instant::now())
    }

    #[test]
    fn saved_games_never_take_each_others_place() {
        let saves = folder();
        let save = |turns| {
            let record = record(turns);
            saves.save(&saves.free_name(&record), &record).unwrap()
        };
        let paths: Vec<_> = (0..3).map(save).collect();
        for (turns, path) in paths.iter().enumerate() {
            assert_eq!(read(path).unwrap().board.turns_played(), turns);
        }
        assert_eq!(saves.list(Shelf::Saved).len(), 3);
    }

    #[test]
    fn a_file_that_is_there_stays_and_no_draft_is_left() {
        let saves = folder();
        let path = saves.save("a game", &record(2)).unwrap();
        let error = create(&path, b"another").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(read(&path).unwrap().board.turns_played(), 2);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_game_that_goes_on_stays_in_its_file_until_it_ends() {
        let saves = folder();
        let (mut slot, mut other) = (None, None);
        saves.keep(&mut slot, &record(1)).unwrap();
        saves.keep(&mut other, &record(0)).unwrap();
        saves.keep(&mut slot, &record(2)).unwrap();
        assert_eq!(saves.list(Shelf::Unfinished).len(), 2);
        assert_eq!(read(&slot.as_ref().unwrap().path).unwrap().board.turns_played(), 2);
        saves.forget(&mut other).unwrap();
        assert_eq!(saves.latest().0.unwrap().1.board.turns_played(), 2);
        saves.forget(&mut slot).unwrap();
        assert!(saves.latest().0.is_none());
    }

    #[test]
    fn all_games_are_listed_and_found_by_what_their_records_say() {
        let saves = folder();
        let names = (0..600).map(|number| format!("game {number}"));
        let paths: Vec<_> = names.map(|name| saves.save(&name, &record(1)).unwrap()).collect();
        assert_eq!(saves.list(Shelf::Saved).len(), 600);
        let words = about(&paths[599]);
        assert!(words.contains("gekitai") && words.contains("Ana"), "{words}");
    }

    #[test]
    fn a_pipe_among_the_games_is_not_waited_for() {
        let saves = folder();
        saves.save("a game", &record(1)).unwrap();
        let pipe = saves.folder.join("games/pipe.txt");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(saves.list(Shelf::Saved).len(), 1);
    }

    #[test]
    fn a_damaged_file_is_told_of_and_left_alone() {
        let saves = folder();
        let path = saves.save("damaged", &record(2)).unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 4]).unwrap();
        let error = read(&path).err().unwrap();
        assert!(error.contains("the record ends without a result"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), whole[..whole.len() - 4]);
        let mut slot = None;
        saves.keep(&mut slot, &record(1)).unwrap();
        fs::write(slot.unwrap().path, "").unwrap();
        let (latest, trouble) = saves.latest();
        assert!(latest.is_none() && trouble.unwrap().starts_with("damaged: "));
        fs::write(saves.folder.join("choices.json"), "{\"game\":").unwrap();
        assert!(saves.choices().unwrap_err().contains("choices.json is damaged: EOF"));
    }

    #[test]
    fn a_game_is_open_in_one_place() {
        let saves = folder();
        let mut slot = None;
        saves.keep(&mut slot, &record(1)).unwrap();
        let path = slot.as_ref().unwrap().path.clone();
        let elsewhere = Saves::open(Some(&saves.folder)).unwrap();
        let kept = elsewhere.list(Shelf::Unfinished).remove(0);
        let refused = elsewhere.claim(&kept).err().unwrap();
        assert!(refused.contains("open in another window"), "{refused}");
        saves.keep(&mut slot, &record(3)).unwrap();
        drop(slot);
        let (sitting, mut slot) = elsewhere.claim(&kept).unwrap();
        assert_eq!(sitting.board.turns_played(), 3);
        elsewhere.forget(&mut slot).unwrap();
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
    }

    #[test]
    fn a_game_that_ends_is_kept_and_no_longer_offered() {
        let saves = folder();
        let mut slot = None;
        saves.keep(&mut slot, &record(1)).unwrap();
        let paths = [2, 3].map(|turns| saves.finish(&mut slot, &record(turns)).unwrap());
        assert!(saves.latest().0.is_none());
        assert_eq!(paths.map(|path| read(&path).unwrap().board.turns_played()), [2, 3]);
        assert_eq!(saves.list(Shelf::Finished).len(), 2);
    }

    #[test]
    fn a_saved_game_has_the_name_that_it_was_given_and_stays() {
        let saves = folder();
        let path = saves.save(" Ana's best game ", &record(2)).unwrap();
        assert!(path.ends_with("games/Ana's best game.txt"));
        let again = saves.save("Ana's best game", &record(1)).unwrap_err();
        assert!(again.contains("already"), "{again}");
        for name in ["", " ", "../up", "a/b", ".hidden", "a\u{7}b", &"x".repeat(101)] {
            let refused = saves.save(name, &record(1)).unwrap_err();
            assert!(refused.contains("cannot be the name"), "{name}: {refused}");
        }
        assert_eq!(saves.list(Shelf::Saved).len(), 1);
    }

    #[test]
    fn lines_of_two_sessions_stand_behind_each_other_and_the_newest_are_kept() {
        let saves = folder();
        let line = |text: &str| vec![text.to_owned()];
        saves.add_typed_lines(&line("c3")).unwrap();
        saves.add_typed_lines(&line("d4")).unwrap();
        saves.add_typed_lines(&[]).unwrap();
        assert_eq!(saves.typed_lines(), ["c3", "d4"]);
        // A file of an earlier version may be of any size.
        let old: String = (0..200_000).map(|number| format!("line {number}\n")).collect();
        fs::write(saves.folder.join("typed.txt"), &old).unwrap();
        assert_eq!(saves.typed_lines().last().unwrap(), "line 199999");
        saves.add_typed_lines(&line("e5")).unwrap();
        let kept = saves.typed_lines();
        assert!(
            kept.len() > 10_000
                && kept.iter().all(|line| line == "e5" || line.starts_with("line "))
        );
        assert_eq!(kept[kept.len() - 2..], ["line 199999", "e5"]);
        assert!(fs::metadata(saves.folder.join("typed.txt")).unwrap().len() <= MOST_BYTES);
    }

    #[test]
    fn choices_are_remembered() {
        let saves = folder();
        assert_eq!(saves.choices(), Ok(Choices::default()));
        let choices = Choices { game: "x".into(), bar: true, ..Choices::default() };
        saves.remember(&choices).unwrap();
        assert_eq!(saves.choices(), Ok(choices));
    }
}
