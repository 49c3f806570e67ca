// The state of the server, and its log level, for administrators.
import { executionRefusal } from '../../actors/jobs/this-node.ts';
import { route } from '../../kernel/http/route.ts';
import { checkSystem } from './checks.ts';
import { LogLevelSetting, System } from './model.ts';
import { readSystem, selfNameOf } from './read-system.ts';

/** No `view…`, because readers may view everything. */
const ACTION = 'administerServer';
const RESOURCE = 'acct';

const getSystem = route(
  {
    id: 'getSystem',
    method: 'GET',
    path: '/system',
    summary: 'Get the state of the server',
    description:
      'The process, the database, the disk, the nodes, and the work that waits, with checks of them. What is about a process is ' +
      'about the node that answers.',
    access: { action: ACTION },
    reply: { 200: System },
  },
  async (call, kernel) => {
    call.requirePermission(RESOURCE);
    const { now } = call;
    const { disk, services, program } = kernel;
    const { facts, findings } = await readSystem(kernel, now);
    const checks = checkSystem(facts, {
      findings,
      fullDisks: disk.describe(),
      isDiskFull: disk.isFull('data', 'blobs', 'repositories', 'work'),
      git: services.git.status(),
      actorsRefusal: executionRefusal(kernel),
      program,
      now,
    });
    return { ...facts, checks };
  },
);

const putLogLevel = route(
  {
    id: 'putLogLevel',
    method: 'PUT',
    path: '/system/log-level',
    summary: 'Change how much the server logs',
    description: 'On the node that answers, until it is started again.',
    access: { action: ACTION },
    body: LogLevelSetting,
    reply: { 200: LogLevelSetting },
  },
  async (call, kernel) => {
    const { level } = call.body;
    const { log, changes } = kernel;
    call.requirePermission(RESOURCE);
    const before = log.level;
    if (before === level) return { level };
    await changes.run(call, (tx) => {
      tx.record({
        accesses: [{ action: ACTION, resource: RESOURCE }],
        kind: 'server',
        name: selfNameOf(kernel),
        verb: 'changed the log level of',
        description: `* From ${before} to ${level}`,
        before: { level: before },
        after: { level },
      });
      return Promise.resolve();
    });
    log.level = level;
    return { level };
  },
);

export const systemRoutes = [getSystem, putLogLevel];
