// What people make tokens for, each with the least policy that suffices. A test does every task with its policy, and is refused more.
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';

const Statement = Type.Object({
  effect: OneOf(['allow', 'deny']),
  actions: Type.Array(Type.String()),
  resources: Type.Array(Type.String(), { description: 'With parameters in braces: `proj/{project}`' }),
});

export const TokenTask = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    description: Type.String(),
    api: OneOf(['flags', 'actors', 'host', 'all'], { description: 'The API that it is about' }),
    parameters: Type.Array(Type.String(), {
      description: 'Names that stand in braces in the resources, to be filled in; `*` stands for all',
    }),
    inlinePolicy: Type.Array(Statement),
  },
  { $id: 'TokenTask' },
);

type Task = Static<typeof TokenTask>;

function allow(actions: string[], ...resources: string[]): Task['inlinePolicy'][number] {
  return { effect: 'allow', actions, resources };
}

export const TOKEN_TASKS: readonly Task[] = [
  {
    id: 'read-flags',
    title: 'Read flags',
    description: 'Everything in one project: flags, segments, environments and their settings.',
    api: 'flags',
    parameters: ['project'],
    inlinePolicy: [allow(['viewProject'], 'proj/{project}')],
  },
  {
    id: 'change-flags',
    title: 'Change flags in one environment',
    description: 'Turns flags on and off and changes their targeting, in one environment of one project.',
    api: 'flags',
    parameters: ['project', 'environment'],
    inlinePolicy: [
      allow(['viewProject'], 'proj/{project}'),
      // Only what belongs to an environment: the permission to change a name in one would change it in all.
      allow(
        [
          'updateOn',
          'updateTargets',
          'updateRules',
          'updateFallthrough',
          'updateOffVariation',
          'updatePrerequisites',
        ],
        'proj/{project}:env/{environment}:flag/*',
      ),
    ],
  },
  {
    id: 'serve-relay',
    title: 'Serve flags to a relay',
    description: 'Creates the configuration by which a Relay Proxy serves one environment.',
    api: 'flags',
    parameters: ['project', 'environment'],
    inlinePolicy: [
      allow(['createRelayAutoConfiguration', 'viewRelayAutoConfiguration'], 'relay-proxy-config/*'),
      allow(['viewSdkKey'], 'proj/{project}:env/{environment}'),
    ],
  },
  {
    id: 'send-code-references',
    title: 'Send code references',
    description: 'For a job that looks for flags in one repository of source code.',
    api: 'flags',
    parameters: ['project', 'repository'],
    inlinePolicy: [
      allow(['viewProject'], 'proj/{project}'),
      allow(
        ['createCodeRefsRepository', 'viewCodeRefsRepository', 'updateCodeRefsRepositoryBranches'],
        'code-reference-repository/{repository}',
      ),
    ],
  },
  {
    id: 'export-audit-log',
    title: 'Export the audit log',
    description: 'Reads all entries that its owner may see, those about projects included.',
    api: 'flags',
    parameters: [],
    inlinePolicy: [
      allow(['viewAuditLog'], '*'),
      allow(['auditEveryAccount'], 'acct'),
      allow(['viewProject'], 'proj/*'),
    ],
  },
  {
    id: 'run-actors',
    title: 'Run Actors and read their results',
    description: 'Starts Actors, and reads their runs, logs and storages.',
    api: 'actors',
    parameters: [],
    inlinePolicy: [
      allow(['viewActor', 'runActor'], 'actor/*'),
      allow(['viewRun'], 'actor-run/*'),
      allow(['viewStorage'], 'dataset/*', 'key-value-store/*', 'request-queue/*'),
    ],
  },
  {
    id: 'build-actors',
    title: 'Build Actors',
    description: 'For a job that uploads the source of an Actor and builds it.',
    api: 'actors',
    parameters: ['actor'],
    inlinePolicy: [
      allow(['viewActor', 'viewActorVersion', 'updateActor', 'buildActor'], 'actor/{actor}'),
      allow(['viewBuild'], 'actor-build/*'),
    ],
  },
  {
    id: 'write-storages',
    title: 'Only write to datasets and stores',
    description: 'Creates datasets and key-value stores and writes to them, but reads nothing.',
    api: 'actors',
    parameters: [],
    inlinePolicy: [allow(['createStorage', 'updateStorage'], 'dataset/*', 'key-value-store/*')],
  },
  {
    id: 'push-repository',
    title: 'Push to and read one repository',
    description: 'Clones and pushes, and reads and writes files by the API.',
    api: 'host',
    parameters: ['owner', 'repository'],
    inlinePolicy: [allow(['viewRepository', 'pushRepository'], 'repo/{owner}/{repository}')],
  },
  {
    id: 'read-everything',
    title: 'Read everything',
    description: 'All that its owner may see, in all APIs.',
    api: 'all',
    parameters: [],
    inlinePolicy: [allow(['view*'], '*')],
  },
];
