// Cleans up at the end of a test file, whether it runs alone or after others in the same process.
import { after } from 'node:test';

const tasks: (() => void)[] = [];

/** In reverse order. */
export function atEndOfFile(task: () => void): void {
  tasks.push(task);
}

export function cleanUp(): void {
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) task();
}

// For a file that is run alone. In the runner this hook belongs to the first file only, and the runner itself cleans up.
after(cleanUp);
