//! The files of a pool: its store, and backups. Only their owner reads them, a command replaces
//! nothing but regular files, and damage shows.

use crate::fixtures::installation::text;
use crate::fixtures::pool_processes::Pool;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns the permissions of a file.
fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().mode() & 0o777
}

#[test]
fn a_backup_replaces_nothing_but_a_regular_file_and_only_its_owner_reads_it() {
    let pool = Pool::start();
    let at = |name: &str| pool.installation.folder.join(name);
    let back_up = |name: &str| pool.command(&["pool", "backup", name]).output().unwrap();
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    std::fs::write(at("other"), "kept").unwrap();
    symlink("other", at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    let _socket = UnixListener::bind(at("socket")).unwrap();
    let kinds = [
        ("pipe", "a pipe"),
        ("link", "a symbolic link"),
        ("dangling", "a symbolic link"),
        ("folder", "a folder"),
        ("socket", "a socket"),
    ];
    let names = kinds.map(|(name, kind)| (at(name).display().to_string(), kind));
    let devices = [("/dev/full".into(), "a device"), ("/dev/stdout".into(), "a symbolic link")];
    for (name, kind) in names.into_iter().chain(devices) {
        let before = std::fs::symlink_metadata(&name).unwrap();
        let refused = back_up(&name);
        let words = text(&refused.stderr);
        assert!(!refused.status.success() && words.contains(kind), "{name}: {words}");
        assert!(words.contains("or - for standard output"), "{name}: {words}");
        let after = std::fs::symlink_metadata(&name).unwrap();
        assert_eq!((before.ino(), before.mode()), (after.ino(), after.mode()), "{name}");
    }
    assert_eq!(std::fs::read(at("other")).unwrap(), b"kept");

    std::fs::write(at("backup"), "an old one").unwrap();
    let written = back_up(&at("backup").display().to_string());
    assert!(written.status.success() && mode(&at("backup")) == 0o600, "{written:?}");
    let streamed = back_up("-");
    assert!(text(&streamed.stderr).contains("0 nodes and 0 leases"), "{streamed:?}");
    assert_eq!(streamed.stdout, std::fs::read(at("backup")).unwrap());
}

#[test]
fn a_damaged_backup_is_refused_before_a_store_is_made() {
    let pool = Pool::start();
    let at = |name: &str| pool.installation.folder.join(name).display().to_string();
    let backed_up = pool.command(&["pool", "backup", &at("backup")]).output().unwrap();
    assert!(backed_up.status.success(), "{backed_up:?}");
    let whole = std::fs::read_to_string(at("backup")).unwrap();
    let (body, _) = whole.trim_end().rsplit_once('\n').unwrap();
    let restore = |content: &str, flags: &[&str]| {
        std::fs::write(at("changed"), content).unwrap();
        let arguments = ["pool", "restore", &at("changed"), "--store", &at("new/pool.sqlite")];
        let output = pool.command(&[&arguments[..], flags].concat()).output().unwrap();
        (output.status.success(), text(&output.stderr))
    };
    let (is_done, words) = restore(&whole.replace("\"head\"", "\"heap\""), &[]);
    assert!(!is_done && words.contains("damaged") && words.contains("use another"), "{words}");
    let lines = body.lines().count();
    let earlier =
        body.replace("\"version\":2", "\"version\":1") + &format!("\n{{\"lines\":{lines}}}\n");
    let (is_done, words) = restore(&earlier, &[]);
    assert!(!is_done && words.contains("--without-checksum"), "{words}");
    assert!(!Path::new(&at("new")).exists(), "no store was made");
    let (is_done, words) = restore(&earlier, &["--without-checksum"]);
    assert!(is_done, "{words}");
}

#[test]
fn only_the_pools_user_reads_its_store_and_its_keys() {
    let mut pool = Pool::start();
    let folder = pool.installation.folder.join("private");
    let store = folder.join("pool.sqlite");
    pool.store_is(store.display().to_string());
    pool.kill();
    pool.start_again();
    assert_eq!(
        (mode(&folder), mode(&store), mode(&folder.join("pool.sqlite-wal"))),
        (0o700, 0o600, 0o600)
    );
    pool.kill();
    let set_mode = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(&store, 0o644);
    pool.start_again();
    assert_eq!(mode(&store), 0o600);
    pool.kill();
    let serve = || {
        let to = store.display().to_string();
        let arguments = ["pool", "serve", "--listen", "127.0.0.1:0", "--store", &to];
        let output = pool.command(&arguments).output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        text(&output.stderr)
    };
    set_mode(&folder, 0o777);
    let words = serve();
    assert!(words.contains("other users can write to it") && words.contains("chmod"), "{words}");
    set_mode(&folder, 0o700);
    std::fs::rename(&store, folder.join("elsewhere")).unwrap();
    symlink("elsewhere", &store).unwrap();
    let words = serve();
    assert!(words.contains("a symbolic link"), "{words}");
}

#[test]
fn a_backup_that_a_signal_ends_leaves_nothing() {
    let pool = Pool::start();
    let folder = pool.installation.folder.join("backups");
    let temporary = pool.installation.folder.join("tmp");
    for folder in [&folder, &temporary] {
        std::fs::create_dir(folder).unwrap();
    }
    let file = folder.join("backup").display().to_string();
    // A server that never answers holds the command before its first byte.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    for name in [file.as_str(), "-"] {
        let mut command = pool.command(&["pool", "backup", name, "--pool", &url]);
        command.env("TMPDIR", &temporary).stdout(Stdio::null());
        let mut process = command.spawn().unwrap();
        let _connection = silent.accept().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
        let left = [&folder, &temporary].map(|folder| std::fs::read_dir(folder).unwrap().count());
        assert_eq!(left, [0, 0], "{name}");
    }
}

#[test]
fn a_folder_of_something_else_becomes_no_identity_and_keeps_its_permissions() {
    let pool = Pool::start();
    let folder = pool.installation.folder.join("documents");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("thesis"), "").unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let to = folder.display().to_string();
    let refused = pool.command(&["pool", "init", "--identity", &to]).output().unwrap();
    let words = text(&refused.stderr);
    assert!(!refused.status.success() && words.contains("thesis"), "{words}");
    assert_eq!((mode(&folder), std::fs::read_dir(&folder).unwrap().count()), (0o755, 1));
}
