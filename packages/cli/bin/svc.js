#!/usr/bin/env node
// The tool is built by `npm run build`; this file stays so that installing links the command before the first build.
import '../dist/main.js'
