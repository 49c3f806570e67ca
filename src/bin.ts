// Runs the command line (cli/) and ends with its exit code.
import { processIo } from './cli/io.ts';
import { runCli } from './cli/program.ts';

// Not process.exit(): it never returns if a thread of the pool hangs, and truncates pending output.
process.exitCode = await runCli(process.argv.slice(2), processIo());
