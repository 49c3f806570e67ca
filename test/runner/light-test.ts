// Loads node:test so that its promise hook can be disabled, which costs a tenth of the time of tests. Must be imported first.
import type { AsyncHook } from 'node:async_hooks';

let hook: AsyncHook | undefined;

// By its hook node:test knows which suite declares a test, and which test an error that nobody catches comes from.
const hooks = process.getBuiltinModule('node:async_hooks');
const { createHook } = hooks;
hooks.createHook = (callbacks) => (hook = createHook(callbacks));
process.getBuiltinModule('node:test');
hooks.createHook = createHook;

/** While tests are declared. */
export function followPromises(): void {
  hook?.enable();
}

/** While tests run: an error that nobody catches is then the file's. */
export function forgetPromises(): void {
  hook?.disable();
}
