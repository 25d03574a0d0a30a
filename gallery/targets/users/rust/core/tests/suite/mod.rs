//! The behaviour of every repository: one suite, many implementations.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::Barrier;
use users_core::error::Error;
use users_core::repository::Repository;
use users_core::service::Service;
use users_core::user::{Change, Query, User};

/// Runs the suite on a repository without users.
pub async fn run(users: Arc<dyn Repository>) {
    changes(&*users).await;
    one_of_64_gets_an_address(&users).await;
    pages(&users).await;
    first_pages_at_once(&users).await;
    a_deadline_that_has_passed(&users).await;
}

fn query(text: &str, page: i64, limit: i64) -> Query {
    Query { text: text.to_owned(), page, limit }
}

fn named(name: &str) -> Change {
    Change { name: Some(name.to_owned()), email: None }
}

fn moved(email: &str) -> Change {
    Change { name: None, email: Some(email.to_owned()) }
}

async fn create(users: &dyn Repository, name: &str, email: &str) -> i64 {
    users.create(name.to_owned(), email.to_owned()).await.expect("the address is free")
}

async fn changes(users: &dyn Repository) {
    let id = create(users, "Ada Moreau", "changes@example.org").await;
    assert_eq!(users.update(id, named("Grace Silva")).await, Ok(()));
    let (name, email) = ("Grace Silva".to_owned(), "changes@example.org".to_owned());
    assert_eq!(users.get(id).await, Ok(User { id, name, email }));
    let other = create(users, "Alan Novak", "changes-2@example.org").await;
    assert!(other > id);
    assert_eq!(users.update(other, moved("changes@example.org")).await, Err(Error::EmailTaken));
    assert_eq!(users.update(other, Change::default()).await, Ok(()));
    assert_eq!(users.delete(id).await, Ok(()));
    assert_eq!(users.delete(id).await, Err(Error::NotFound));
    assert_eq!(users.update(id, named("Grace Silva")).await, Err(Error::NotFound));
    assert_eq!(users.get(id).await, Err(Error::NotFound));
    assert_eq!(users.get(i64::MAX).await, Err(Error::NotFound));
    // The address of a deleted user, and one that an update replaced, is free.
    assert_eq!(users.update(other, moved("changes@example.org")).await, Ok(()));
    let third = create(users, "Edsger Larsen", "changes-2@example.org").await;
    assert_eq!(users.delete(other).await, Ok(()));
    assert_eq!(users.delete(third).await, Ok(()));
}

/// Half of the callers create a user with one address, half change one of theirs to it.
async fn one_of_64_gets_an_address(users: &Arc<dyn Repository>) {
    const ADDRESS: &str = "raced@example.org";
    let ready = Arc::new(Barrier::new(64));
    let mut callers = Vec::new();
    for number in 0..64 {
        let rival = match number % 2 {
            0 => Some(create(&**users, "Rival of all", &format!("rival-{number}@example.org")).await),
            _ => None,
        };
        let (users, ready) = (Arc::clone(users), Arc::clone(&ready));
        callers.push(tokio::spawn(async move {
            ready.wait().await;
            match rival {
                Some(id) => users.update(id, moved(ADDRESS)).await,
                None => users.create("Rival of all".to_owned(), ADDRESS.to_owned()).await.map(drop),
            }
        }));
    }
    let outcomes: Vec<_> = join_all(callers).await.into_iter().map(|outcome| outcome.expect("no panic")).collect();
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == Ok(())).count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == Err(Error::EmailTaken)).count(), 63);
    assert_eq!(users.list(query(ADDRESS, 1, 100)).await.expect("a page").total, 1);
}

/// Compares every page with the users in order, where many have been deleted.
async fn pages(users: &Arc<dyn Repository>) {
    let workers = (0..30).map(|worker| {
        let users = Arc::clone(users);
        tokio::spawn(async move {
            for number in 0..100 {
                let id = create(&*users, "Paged user", &format!("paged-{worker}-{number}@example.org")).await;
                if number % 3 == 0 {
                    assert_eq!(users.delete(id).await, Ok(()));
                }
            }
        })
    });
    join_all(workers).await.into_iter().for_each(|worker| worker.expect("no panic"));
    for text in ["", "paged-", "pa"] {
        let (mut ids, mut total) = (Vec::new(), 0);
        for number in 1.. {
            let page = users.list(query(text, number, 100)).await.expect("a page");
            total = page.total;
            let is_last = page.users.len() < 100;
            ids.extend(page.users.into_iter().map(|user| user.id));
            if is_last {
                break;
            }
        }
        assert!(ids.is_sorted_by(|one, next| one < next));
        assert_eq!(i64::try_from(ids.len()), Ok(total), "{text:?}");
        assert!(total >= 1_980);
        let beyond = users.list(query(text, i64::MAX, 100)).await.expect("a page past the end");
        assert_eq!((beyond.users, beyond.total), (Vec::new(), total));
    }
}

/// Asks for pages of every length at once, while users are created: each has the first users and no others, and a total
/// that counts every user whose creation had ended.
async fn first_pages_at_once(users: &Arc<dyn Repository>) {
    let longest = users.list(query("", 1, 100)).await.expect("a page");
    let created = Arc::new(AtomicI64::new(0));
    let callers = (1..=100).map(|limit| {
        let (users, longest, created) = (Arc::clone(users), longest.clone(), Arc::clone(&created));
        tokio::spawn(async move {
            create(&*users, "Listed later", &format!("listed-{limit}@example.org")).await;
            let least = longest.total + created.fetch_add(1, Ordering::Relaxed) + 1;
            let page = users.list(query("", 1, limit)).await.expect("a page");
            assert!(page.total >= least, "{} of {least}", page.total);
            assert_eq!(page.users, longest.users[..usize::try_from(limit).expect("small")]);
        })
    });
    join_all(callers).await.into_iter().for_each(|caller| caller.expect("no panic"));
}

async fn a_deadline_that_has_passed(users: &Arc<dyn Repository>) {
    let service = Service::new(Arc::clone(users), Duration::from_mins(1), None);
    let passed = service.deadline(Some(Duration::ZERO));
    assert_eq!(service.get(passed, 1).await, Err(Error::DeadlineExceeded));
    let created = service.create(passed, "Too late".to_owned(), "late@example.org".to_owned()).await;
    assert_eq!(created, Err(Error::DeadlineExceeded));
    assert_eq!(service.list(passed, "", None, None).await, Err(Error::DeadlineExceeded));
    let later = service.deadline(None);
    let (_, page) = service.list(later, "late@example.org", None, None).await.expect("a page");
    assert_eq!(page.total, 0);
}
