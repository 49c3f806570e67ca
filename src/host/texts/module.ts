// Texts of issues, pull requests and comments, which are rendered once.
import type { Module } from '../../kernel/http/module.ts';
import { renderedTextSweep } from './render-texts.ts';

export const textModule: Module = {
  work: (kernel) => ({ recurring: [renderedTextSweep(kernel)] }),
};
