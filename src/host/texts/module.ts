// Texts of issues, pull requests and comments: rendered once, and read for what they refer to.
import type { Module } from '../../kernel/http/module.ts';
import { READ_COMMITS, readCommitsHandler } from './read-commits.ts';
import { renderedTextSweep } from './render-texts.ts';

export const textModule: Module = {
  work: (kernel) => ({
    recurring: [renderedTextSweep(kernel)],
    handlers: { [READ_COMMITS]: readCommitsHandler(kernel) },
  }),
};
