// The state of the server, and its log level, for administrators.
import { executionRefusal } from '../../actors/jobs/this-node.ts';
import { route } from '../../kernel/http/route.ts';
import { checkSystem } from './checks.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { ADMINISTER_SERVER, SERVER_RESOURCE } from './access.ts';
import { LogLevelSetting, System } from './model.ts';
import { readSystem, selfNameOf } from './read-system.ts';
import { SettingInForce } from './settings-model.ts';

const getSystem = route(
  {
    id: 'getSystem',
    method: 'GET',
    path: '/system',
    summary: 'Get the state of the server',
    description:
      'The process, the database, the disk, the nodes, and the work that waits, with checks of them. What is about a process is ' +
      'about the node that answers.',
    access: { action: ADMINISTER_SERVER },
    reply: { 200: System },
  },
  async (call, kernel) => {
    call.requirePermission(SERVER_RESOURCE);
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
    access: { action: ADMINISTER_SERVER },
    body: LogLevelSetting,
    reply: { 200: LogLevelSetting },
  },
  async (call, kernel) => {
    const { level } = call.body;
    const { log, changes } = kernel;
    call.requirePermission(SERVER_RESOURCE);
    const before = log.level;
    if (before === level) return { level };
    await changes.run(call, (tx) => {
      tx.record({
        accesses: [{ action: ADMINISTER_SERVER, resource: SERVER_RESOURCE }],
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

const listSettings = route(
  {
    id: 'listSettings',
    method: 'GET',
    path: '/settings',
    summary: 'List the settings in force',
    description:
      'Every setting of the node that answers, with its value and where that comes from. Of secrets only whether they are set. ' +
      'Settings are changed by starting the server with others.',
    access: { action: ADMINISTER_SERVER },
    reply: { 200: Type.Object({ items: Type.Array(SettingInForce) }) },
  },
  (call, { settings, log }) => {
    call.requirePermission(SERVER_RESOURCE);
    const items = settings
      .inForce()
      .map((one) =>
        one.name === 'logLevel' && one.value !== log.level
          ? { ...one, value: log.level, source: 'call' as const }
          : one,
      );
    return { items };
  },
);

export const systemRoutes = [getSystem, putLogLevel, listSettings];
