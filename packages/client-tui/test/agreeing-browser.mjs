#!/usr/bin/env node
// A browser whose user says yes: goes where the pages send it.
const [, , url] = process.argv;
await fetch(url);
