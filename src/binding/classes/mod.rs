//! The two classes: convert, call, convert. `index.d.ts` has their methods in the order of these modules, which is
//! that of its map: a blank line between each keeps rustfmt from sorting them.

mod router;

mod catalogue;

mod model;

mod ranking;

mod sessions;

mod lists;

mod servers;

mod curation;

mod tools;

mod report;

mod session;

mod attaching;

mod explain;

mod delivery;

mod schemas;

mod results;

mod environment;
