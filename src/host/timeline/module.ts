// The events and timelines of issues.
import type { Module } from '../../kernel/http/module.ts';
import { ISSUES_TAG } from '../issues/module.ts';
import { timelineRoutes } from './routes.ts';

export const timelineModule: Module = { tag: ISSUES_TAG, routes: timelineRoutes };
