// What tests have made is removed at the end of their file, whether it runs alone or after others in the same process.
import { after } from 'node:test';

const tasks: (() => void)[] = [];

/** The last one goes first. */
export function atEndOfFile(task: () => void): void {
  tasks.push(task);
}

export function cleanUp(): void {
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) task();
}

// For a file that is run by hand. In the runner this belongs to the first file only, and the runner itself cleans up.
after(cleanUp);
