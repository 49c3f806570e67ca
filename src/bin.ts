// Hands the command line to cli/ and ends with its exit code.
import { processIo } from './cli/io.ts';
import { runCli } from './cli/program.ts';

// Not process.exit(): that waits for ever when a thread of the pool hangs, and cuts off what is still being written.
process.exitCode = await runCli(process.argv.slice(2), processIo());
