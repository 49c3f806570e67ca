// Loads node:test so that its promise hook can be disabled, which costs a tenth of the time of tests. Must be imported first.
import type { AsyncHook } from 'node:async_hooks';

let hook: AsyncHook | undefined;

// By this hook node:test knows which suite declares a test, and which test an uncaught error comes from.
const hooks = process.getBuiltinModule('node:async_hooks');
const { createHook } = hooks;
hooks.createHook = (callbacks) => (hook = createHook(callbacks));
process.getBuiltinModule('node:test');
hooks.createHook = createHook;

/** Enables the hook while tests are declared. */
export function followPromises(): void {
  hook?.enable();
}

/** Disables the hook while tests run: an uncaught error then counts for the file. */
export function forgetPromises(): void {
  hook?.disable();
}
