//! What is kept between two runs: saved, unfinished and finished games, and the last choices.
//!
//! A file is written under another name and then renamed, so that a crash leaves either the old one or the
//! new one. A game never replaces another, and one that goes on is open in one place: a lock beside its
//! file tells.

use crate::table::Table;
use engine::puzzles::Puzzle;
use rules::game::shorten;
use rules::record::Record;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::NamedTempFile;

/// The largest file that is read, far larger than any game.
const MOST_BYTES: u64 = 1 << 20;
/// How many games are listed.
const MOST_GAMES: usize = 500;
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

/// A file that holds a game, or should.
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
}

/// The file of a game that goes on, open here and nowhere else as long as this lives.
#[derive(Debug)]
pub struct Slot {
    path: PathBuf,
    /// The lock; the system gives it back when the program ends, however it ends.
    lock: File,
}

impl Slot {
    /// Locks the file of a game, or says who has it.
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

/// What the user chose last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choices {
    /// The id of the last game.
    pub game: String,
    /// The names of the two people.
    pub names: [String; 2],
    /// By the id of the game.
    pub games: BTreeMap<String, Chosen>,
    /// Whether the engine's bar is shown.
    pub bar: bool,
    /// How fast computers play each other, as an index into the list of speeds.
    pub speed: Option<usize>,
    /// Whether computers wait for a key before each turn.
    pub wait: bool,
    /// The colours, by the name of their theme.
    pub theme: String,
    /// Whether pieces do not move across the board but are there at once.
    pub still: bool,
    /// Whether the original program's proposal is shown at every turn.
    pub advice: bool,
    /// Whether line mode leaves the boards out.
    pub no_boards: bool,
    /// The positions of the puzzles that have been solved, by game.
    pub solved: BTreeMap<String, BTreeSet<String>>,
}

impl Choices {
    pub fn has_solved(&self, puzzle: &Puzzle) -> bool {
        self.solved.get(&puzzle.game).is_some_and(|known| known.contains(&puzzle.position))
    }

    /// Notes that a puzzle has been solved, and says whether that is new.
    pub fn solve(&mut self, puzzle: &Puzzle) -> bool {
        self.solved.entry(puzzle.game.clone()).or_default().insert(puzzle.position.clone())
    }
}

/// What was chosen for a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chosen {
    /// The options that differ from the default.
    pub options: Map<String, Value>,
    /// The two players, as the command line describes them.
    pub players: [String; 2],
    pub starts: String,
    /// As in `5+3`; empty for no clock.
    pub clock: String,
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

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes an unfinished game to its file, which is created if there is none yet.
    pub fn keep(&self, slot: &mut Option<Slot>, record: &Record) -> Result<(), String> {
        if let Some(Slot { path, .. }) = slot {
            return replace(path, record.to_string().as_bytes()).map_err(|error| said(path, error));
        }
        let path = self.add(Shelf::Unfinished, record)?;
        *slot = Some(Slot::lock(&path)?);
        Ok(())
    }

    /// Puts a game that has ended to the others, and removes it from the unfinished ones.
    pub fn finish(&self, slot: &mut Option<Slot>, record: &Record) -> Result<PathBuf, String> {
        let path = self.add(Shelf::Finished, record)?;
        self.forget(slot)?;
        Ok(path)
    }

    /// Opens an unfinished game here, unless it is open elsewhere.
    pub fn claim(&self, path: &Path) -> Result<(Slot, Table), String> {
        let slot = Slot::lock(path)?;
        // Read only now: it may have gone on elsewhere since it was listed.
        let table = read(path)?;
        Ok((slot, table))
    }

    /// Removes the file of a game that is not to be continued.
    pub fn forget(&self, slot: &mut Option<Slot>) -> Result<(), String> {
        let Some(Slot { path, lock }) = slot.take() else { return Ok(()) };
        let removed = self.delete(&path);
        let _ = fs::remove_file(lock_path(&path));
        drop(lock);
        removed
    }

    /// Removes an unfinished game for good, unless it is open elsewhere.
    pub fn claim_to_delete(&self, path: &Path) -> Result<(), String> {
        self.forget(&mut Some(Slot::lock(path)?))
    }

    /// Removes a game for good.
    pub fn delete(&self, path: &Path) -> Result<(), String> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(said(path, error)),
            _ => Ok(()),
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
        let folder = self.folder.join(Shelf::Saved.folder());
        fs::create_dir_all(&folder).map_err(|error| said(&folder, error))?;
        let path = folder.join(format!("{name}.txt"));
        match create(&path, record.to_string().as_bytes()) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Err(format!("there is a game `{name}` already: choose another name"))
            }
            Err(error) => Err(said(&path, error)),
            Ok(()) => Ok(path),
        }
    }

    fn add(&self, shelf: Shelf, record: &Record) -> Result<PathBuf, String> {
        let folder = self.folder.join(shelf.folder());
        fs::create_dir_all(&folder).map_err(|error| said(&folder, error))?;
        let stem = stem(record);
        for number in 1..=MOST_NAMES {
            let path = folder.join(format!("{stem}-{number}.txt"));
            if path.exists() {
                continue;
            }
            match create(&path, record.to_string().as_bytes()) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(said(&path, error)),
                Ok(()) => return Ok(path),
            }
        }
        Err(format!("there are already {MOST_NAMES} games of today in {}", folder.display()))
    }

    /// The games of a shelf, the latest first.
    pub fn list(&self, shelf: Shelf) -> Vec<Kept> {
        let Ok(folder) = fs::read_dir(self.folder.join(shelf.folder())) else { return Vec::new() };
        let kept = |entry: fs::DirEntry| {
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            let is_game = path.extension().is_some_and(|ending| ending == "txt") && !hidden;
            let changed = entry.metadata().and_then(|data| data.modified()).ok()?;
            is_game.then_some(Kept { path, shelf, changed })
        };
        let mut all: Vec<_> = folder.flatten().filter_map(kept).collect();
        all.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.path.cmp(&b.path)));
        all.truncate(MOST_GAMES);
        all
    }

    pub fn count(&self) -> usize {
        [Shelf::Saved, Shelf::Unfinished, Shelf::Finished]
            .map(|shelf| self.list(shelf).len())
            .iter()
            .sum()
    }

    /// The last unfinished game, and what is wrong with a later one that cannot be read.
    pub fn latest(&self) -> (Option<(Kept, Table)>, Option<String>) {
        let mut trouble = None;
        for kept in self.list(Shelf::Unfinished) {
            match read(&kept.path) {
                Ok(table) => return (Some((kept, table)), trouble),
                Err(error) => trouble = trouble.or(Some(format!("damaged: {error}"))),
            }
        }
        (None, trouble)
    }

    /// The last choices, or why their file cannot be read; it is left alone then.
    pub fn choices(&self) -> Result<Choices, String> {
        let path = self.folder.join("choices.json");
        match text(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Choices::default()),
            Err(error) => Err(said(&path, error)),
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| format!("{} is damaged: {error}", path.display())),
        }
    }

    pub fn remember(&self, choices: &Choices) -> Result<(), String> {
        let path = self.folder.join("choices.json");
        fs::create_dir_all(&self.folder).map_err(|error| said(&self.folder, error))?;
        let text = serde_json::to_vec_pretty(choices).map_err(|error| error.to_string())?;
        replace(&path, &text).map_err(|error| said(&path, error))
    }
}

/// Reads the game of a file, or says what is wrong with it.
pub fn read(path: &Path) -> Result<Table, String> {
    let text = text(path).map_err(|error| said(path, error))?;
    Table::from_text(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// How the name of a file begins: `gekitai-2026-05-01`.
fn stem(record: &Record) -> String {
    let game = record.tag("Game").unwrap_or("game");
    format!("{game}-{}", record.tag("Date").unwrap_or_default())
}

fn said(path: &Path, error: io::Error) -> String {
    format!("{}: {error}", path.display())
}

fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    let wrong = |why: &str| io::Error::new(ErrorKind::InvalidData, why);
    if bytes.len() as u64 > MOST_BYTES {
        return Err(wrong("it is larger than any game"));
    }
    String::from_utf8(bytes).map_err(|_| wrong("it is not text in UTF-8"))
}

/// Writes a file in the same folder, down to the disk; it is removed unless it is given its name.
fn beside(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let folder = path.parent().ok_or(ErrorKind::InvalidFilename)?;
    // The permissions of the user's other files.
    let readable = Permissions::from_mode(0o666);
    let mut draft =
        tempfile::Builder::new().prefix(".").permissions(readable).tempfile_in(folder)?;
    draft.write_all(bytes)?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

/// Replaces a file, or creates it.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    beside(path, bytes)?.persist(path)?;
    settle(path)
}

/// Creates a file where there is none.
fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    beside(path, bytes)?.persist_noclobber(path)?;
    settle(path)
}

/// Makes sure that the folder still lists the file after a crash.
fn settle(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Sitter;
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
        let sitters = [Sitter::person("Ana"), Sitter::person("Ben")];
        let mut table = Table::new(entry, game, sitters, None);
        for _ in 0..turns {
            let turn = table.game.turns().remove(0);
            table.play(&turn, Instant::now()).unwrap();
        }
        table.record(Instant::now())
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
            assert_eq!(read(path).unwrap().game.turns_played(), turns);
        }
        assert_eq!(saves.list(Shelf::Saved).len(), 3);
    }

    #[test]
    fn a_file_that_is_there_stays_and_no_draft_is_left() {
        let saves = folder();
        let path = saves.save("a game", &record(2)).unwrap();
        let error = create(&path, b"another").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(read(&path).unwrap().game.turns_played(), 2);
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
        assert_eq!(read(&slot.as_ref().unwrap().path).unwrap().game.turns_played(), 2);
        saves.forget(&mut other).unwrap();
        assert_eq!(saves.latest().0.unwrap().1.game.turns_played(), 2);
        saves.forget(&mut slot).unwrap();
        assert!(saves.latest().0.is_none());
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
        let refused = elsewhere.claim(&path).err().unwrap();
        assert!(refused.contains("open in another window"), "{refused}");
        saves.keep(&mut slot, &record(3)).unwrap();
        drop(slot);
        let (mut slot, table) =
            elsewhere.claim(&path).map(|(slot, table)| (Some(slot), table)).unwrap();
        assert_eq!(table.game.turns_played(), 3);
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
        assert_eq!(paths.map(|path| read(&path).unwrap().game.turns_played()), [2, 3]);
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
    fn choices_are_remembered() {
        let saves = folder();
        assert_eq!(saves.choices(), Ok(Choices::default()));
        let choices = Choices { game: "x".into(), bar: true, ..Choices::default() };
        saves.remember(&choices).unwrap();
        assert_eq!(saves.choices(), Ok(choices));
    }
}
