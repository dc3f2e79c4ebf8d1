#!/usr/bin/env node
// A file of its own rather than the compiled one: npm links commands when it installs, and before
// the first build there is nothing compiled to link to.
import '../dist/main.js';
