// Standby mode: programs that are started by requests and answer them.
import type { Module } from '../../kernel/http/module.ts';
import { startAnnouncing } from './nodes.ts';
import { containerRoute, standbyRoute } from './routes.ts';

export const standbyModule: Module = {
  rawRoutes: [standbyRoute, containerRoute],
  start: (kernel) => Promise.resolve(startAnnouncing(kernel)),
  endStreams: ({ services }) => services.standby.close(),
};
