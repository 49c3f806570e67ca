// The Actors that come with the program.
import type { Module } from '../../kernel/http/module.ts';
import { ensureLibrary } from './ensure-library.ts';

export const libraryModule: Module = { firstStart: ensureLibrary };
