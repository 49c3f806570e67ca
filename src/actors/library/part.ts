// The Actors that come with the program.
import type { Part } from '../../kernel/module.ts';
import { ensureLibrary } from './ensure-library.ts';

export const libraryPart: Part = { firstStart: ensureLibrary };
