// The files of deploy/: what can run here is run, and of everything else each setting, path, port and metric that it names exists.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { optionName, SETTING_NAMES, SETTINGS } from '../src/app/config.ts';
import { atEndOfFile } from './cleanup.ts';
import { eventually } from './eventually.ts';
import { fixedPort } from './fixed-port.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from './server.ts';

const ROOT = dirname(import.meta.dirname);
const DEPLOY = join(ROOT, 'deploy');
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
const files = globSync('**/*', { cwd: DEPLOY, withFileTypes: true, exclude: () => false })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(DEPLOY.length + 1));

function yamlOf(file: string): Json[] {
  return parseAllDocuments(read(file), { merge: true }).map((document) => {
    assert.deepEqual(document.errors, [], file);
    return document.toJS() as Json;
  });
}

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

test('every setting that a file names exists', () => {
  const known = new Set(SETTING_NAMES.map((name) => SETTINGS[name].env));
  const options = new Set(SETTING_NAMES.map(optionName));
  let found = 0;
  for (const file of files) {
    const text = read(file);
    for (const [name] of text.matchAll(/\b(?:SIGNALBOX_[A-Z0-9_]+|DATABASE_URL|AWS_[A-Z_]+)\b/g)) {
      found += 1;
      // Of Kubernetes, which is told not to set it.
      if (name !== 'SIGNALBOX_PORT') assert.ok(known.has(name), `${file}: ${name}`);
    }
    for (const [, rest = ''] of text.matchAll(/signalbox serve (.*)/g))
      for (const [option] of rest.matchAll(/--[a-z-]+/g))
        assert.ok(options.has(option), `${file}: ${option}`);
  }
  assert.ok(found > 40, String(found));
});

test('.env.example has every variable of the compose files, and no other', () => {
  const named = new Set([...read('.env.example').matchAll(/^([A-Z_0-9]+)=/gm)].map(([, name]) => name));
  const used = ['compose.yaml', 'compose.cluster.yaml'].flatMap((file) =>
    [...read(file).matchAll(/\$\{([A-Z_0-9]+)/g)].map(([, name]) => name),
  );
  assert.deepEqual(new Set(named), new Set(used));
});

for (const file of ['compose.yaml', 'compose.cluster.yaml'])
  test(`${file} names files, volumes, networks and services that there are`, () => {
    const [compose] = yamlOf(file) as [Json];
    const services = Object.entries(compose.services as Record<string, Json>);
    for (const [name, service] of services) {
      for (const volume of (service.volumes ?? []) as string[]) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('.')) assert.ok(existsSync(join(DEPLOY, source)), `${name}: ${source}`);
        else assert.ok(source in compose.volumes, `${name}: ${source}`);
      }
      for (const network of (service.networks ?? []) as string[])
        assert.ok(network in compose.networks, `${name}: ${network}`);
      for (const other of Array.isArray(service.depends_on)
        ? service.depends_on
        : Object.keys(service.depends_on ?? {}))
        assert.ok(other in compose.services, `${name}: ${String(other)}`);
      for (const [, host = ''] of JSON.stringify(service.environment ?? {}).matchAll(
        /(?:@|http:\/\/)([a-z][\w-]*)[:/]/g,
      ))
        assert.ok(host === 'localhost' || host in compose.services, `${name}: ${host}`);
      const profile = (service.security_opt ?? []).find((one: string) => one.startsWith('seccomp='));
      if (profile !== undefined)
        assert.ok(existsSync(join(DEPLOY, String(profile).slice('seccomp='.length))));
      if (service.build !== undefined)
        assert.ok(existsSync(join(DEPLOY, service.build.context, service.build.dockerfile)));
    }
    const proxied = [...read('caddy/Caddyfile.cluster').matchAll(/\b([\w-]+):8080/g)].map(
      ([, host]) => host!,
    );
    if (file === 'compose.cluster.yaml')
      for (const host of proxied) assert.ok(host in compose.services, host);
  });

test('the image is built in stages, belongs to an ordinary user, and has what Actors and git need', () => {
  const text = read('Dockerfile');
  assert.equal(text.match(/^FROM /gm)?.length, 2);
  assert.match(text, /^USER (?!root)\w+$/m);
  for (const program of ['git', 'bubblewrap', 'slirp4netns'])
    assert.match(text, new RegExp(` ${program}\\b`));
  assert.match(text, /^HEALTHCHECK [\s\S]*\/healthz/m);
  assert.match(text, /^VOLUME \/data$/m);
  assert.match(text, /SIGNALBOX_DATA=\/data/);
  for (const [, sources = ''] of text.matchAll(/^COPY (?!--from)(.*) \S+$/gm))
    for (const source of sources.split(' ')) assert.ok(existsSync(join(ROOT, source)), source);
  const ignored = read('Dockerfile.dockerignore').split('\n');
  for (const folder of ['src', 'scripts', 'console', 'tools', 'docs', 'actors-library'])
    assert.ok(!ignored.includes(folder), folder);
});

test('the seccomp profile denies by name, and leaves what the sandbox of Actors calls', () => {
  const { defaultAction, syscalls } = JSON.parse(read('seccomp.json')) as Json;
  assert.equal(defaultAction, 'SCMP_ACT_ALLOW');
  const denied = new Set((syscalls as Json[]).flatMap(({ names }) => names as string[]));
  for (const call of ['bpf', 'init_module', 'kexec_load', 'keyctl', 'open_by_handle_at', 'ptrace', 'reboot'])
    assert.ok(denied.has(call), call);
  for (const call of ['clone', 'clone3', 'mount', 'pivot_root', 'setns', 'umount2', 'unshare', 'sethostname'])
    assert.ok(!denied.has(call), call);
});

test('the unit of systemd is valid, and hardened as far as Actors and V8 allow', (t) => {
  const unit = read('systemd/signalbox.service');
  for (const line of [
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'PrivateTmp=yes',
    'CapabilityBoundingSet=',
  ])
    assert.match(unit, new RegExp(`^${line}$`, 'm'));
  for (const name of [
    'MemoryDenyWriteExecute',
    'RestrictNamespaces',
    'ProtectKernelTunables',
    'PrivateDevices',
  ])
    assert.doesNotMatch(unit, new RegExp(`^${name}=`, 'm'));
  assert.match(unit, /^SystemCallFilter=.*@mount.* unshare/m);
  if (!has('systemd-analyze')) return t.skip('needs systemd-analyze');
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-unit-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'signalbox.service');
  // Node is elsewhere here, and nobody has made the user.
  writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
  const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  const own = stderr.split('\n').filter((line) => line.includes('signalbox.service'));
  assert.deepEqual([own, status], [[], 0], stderr);
});

test('the manifests of Kubernetes agree: selectors, ports, probes, volumes and roles', () => {
  const documents = yamlOf('kubernetes/signalbox.yaml');
  const [secret] = yamlOf('kubernetes/secret.example.yaml') as [Json];
  const names = new Set([...documents, secret].map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  const deployments = documents.filter(({ kind }) => kind === 'Deployment');
  const roles = deployments.map(({ spec }) => {
    const { template, selector } = spec;
    assert.deepEqual(template.metadata.labels, selector.matchLabels);
    const { containers, volumes, securityContext, enableServiceLinks } = template.spec;
    assert.ok(securityContext.runAsNonRoot);
    // Its variables would be settings that do not exist.
    assert.equal(enableServiceLinks, false);
    const [container] = containers as [Json];
    for (const [probe, path] of [
      ['startupProbe', '/healthz'],
      ['livenessProbe', '/healthz'],
      ['readinessProbe', '/readyz'],
    ] as const)
      assert.deepEqual(container[probe].httpGet, { path, port: 'http' });
    assert.deepEqual(container.ports, [{ name: 'http', containerPort: 8080 }]);
    assert.deepEqual(container.envFrom, [
      { configMapRef: { name: 'signalbox' } },
      { secretRef: { name: 'signalbox' } },
    ]);
    const mounted = (container.volumeMounts as Json[]).map(({ name }) => name as string);
    assert.deepEqual(mounted.toSorted(), (volumes as Json[]).map(({ name }) => name as string).toSorted());
    for (const { persistentVolumeClaim: claim } of volumes as Json[])
      if (claim !== undefined) assert.ok(names.has(`PersistentVolumeClaim/${claim.claimName}`));
    return (container.env as Json[]).find(({ name }) => name === 'SIGNALBOX_ROLE')!.value as string;
  });
  assert.deepEqual(roles.toSorted(), ['api', 'worker']);
  const service = documents.find(({ kind }) => kind === 'Service')!;
  assert.deepEqual(service.spec.selector, { app: 'signalbox', role: 'api' });
  for (const needed of ['ConfigMap/signalbox', 'Secret/signalbox']) assert.ok(names.has(needed));
});

describe('a running server', () => {
  let server: TestServer;
  let proxyPort: number;
  let path: string;
  before(async () => {
    proxyPort = await fixedPort();
    path = '/box';
    server = await startServer({
      publicUrl: `http://localhost:${proxyPort}${path}`,
      trustProxy: ['127.0.0.1'],
      limits: 'off',
    });
  });
  after(() => server.stop());

  /** By their lines in the guide, with their kinds. */
  const documented = () =>
    new Map(
      [
        ...readFileSync(join(ROOT, 'docs/guide/watch.md'), 'utf8').matchAll(
          /^\| `(\w+)` \| (gauge|counter|histogram) \|/gm,
        ),
      ].map(([, name, kind]) => [name!, kind!]),
    );

  test('its metrics are those of the guide, with their kinds', async () => {
    await server.call('/v2/users/me');
    let text = '';
    await eventually(async () => {
      ({ text } = await server.call('/metrics', { token: null }));
      return /^signalbox_database_up 1$/m.test(text);
    }, 'the figures of the database');
    const told = new Map(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, kind]) => [name!, kind!]),
    );
    const guide = documented();
    for (const [name, kind] of told) assert.equal(guide.get(name), kind, name);
    const sources = globSync('src/**/*.ts', { cwd: ROOT })
      .map((file) => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
    // Some are told once there is something to tell: of PostgreSQL, or what has been counted.
    for (const name of guide.keys())
      assert.ok(
        told.has(name) ||
          sources.includes(`'${name.replace('signalbox_', '')}'`) ||
          name.startsWith('signalbox_disk_'),
        name,
      );
    assert.match(text, /^signalbox_database_up 1$/m);
    assert.match(text, /^signalbox_database_statement_seconds_count [1-9]/m);
    assert.match(text, /^signalbox_due_work\{kind="[\w.-]+",state="waiting"\} \d+$/m);
    assert.match(text, /^signalbox_nodes 1$/m);
    assert.match(text, /^signalbox_git_processes\{kind="transfer"\} 0$/m);
  });

  test('a database that does not answer is a figure, and takes only what comes from it', async () => {
    const broken = await startServer();
    const { engine } = broken.app.kernel;
    await engine.close();
    const { status, text } = await broken.call('/metrics', { token: null });
    assert.equal(status, 200);
    assert.match(text, /^signalbox_database_up 0$/m);
    assert.doesNotMatch(text, /^signalbox_due_work/m);
    await broken.stop().catch(() => {});
  });

  test('dashboard and alerts refer only to metrics of the guide', () => {
    const guide = documented();
    const dashboard = JSON.parse(read('grafana/signalbox.json')) as Json;
    const [alerts] = yamlOf('prometheus/alerts.yml') as [Json];
    const rules = (alerts.groups as Json[]).flatMap(({ rules: some }) => some as Json[]);
    const expressions = [
      ...(dashboard.panels as Json[]).flatMap(({ targets }) =>
        (targets as Json[]).map(({ expr }) => expr as string),
      ),
      ...(dashboard.templating.list as Json[]).map(({ query }) => String(query)),
      ...rules.map(({ expr }) => String(expr)),
    ];
    assert.ok(expressions.length > 30);
    for (const expression of expressions) {
      for (const [name] of expression.matchAll(/\b(?:signalbox|process|nodejs)_\w+/g)) {
        // The beginning of a pattern.
        if (expression.includes(`${name}(`)) continue;
        const base = name.replace(/_(?:bucket|sum|count)$/, '');
        assert.ok(guide.has(name) || guide.get(base) === 'histogram', `${name} in ${expression}`);
      }
    }
    const text = readFileSync(join(ROOT, 'docs/guide/watch.md'), 'utf8');
    for (const { alert } of rules) assert.ok(text.includes(`\`${String(alert)}\``), String(alert));
    yamlOf('prometheus/prometheus.yml');
  });

  /** Through the proxy that the example describes, until it is stopped. */
  async function checkProxy(
    start: (folder: string) => { program: string; args: string[] },
    prefix: string,
  ): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-proxy-'));
    atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
    const { program, args } = start(folder);
    let said = '';
    const proxy = spawn(program, args, {
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    });
    const exited = new Promise((resolve) => proxy.once('exit', resolve));
    proxy.stderr.on('data', (part: Buffer) => (said += part.toString()));
    try {
      const base = `http://localhost:${proxyPort}${prefix}`;
      const answers = () =>
        fetch(`${base}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await eventually(async () => {
        assert.equal(proxy.exitCode, null, said);
        return await answers();
      });
      const me = await fetch(`${base}/user`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
      const { url } = (await me.json()) as Json;
      assert.ok(String(url).startsWith(server.app.kernel.publicUrl), url);
      // A stream arrives as it is sent.
      const stream = await fetch(`${base}/signalbox/v1/stream`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, accept: 'text/event-stream' },
      });
      const reader = stream.body!.getReader();
      assert.ok((await reader.read()).value!.length > 0);
      await reader.cancel();
      // Larger than a proxy takes by itself.
      const created = await fetch(`${base}/v2/key-value-stores`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      const { id } = ((await created.json()) as Json).data as Json;
      const put = await fetch(`${base}/v2/key-value-stores/${String(id)}/records/large`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/octet-stream' },
        body: new Uint8Array(3 * 1024 * 1024),
      });
      assert.equal(put.status, 201);
      if (prefix !== '') {
        const other = await fetch(`http://localhost:${proxyPort}/elsewhere`);
        assert.equal(other.status, 404);
      }
    } finally {
      proxy.kill('SIGTERM');
      await exited;
    }
  }

  const upstream = () => new URL(server.url).host;

  function nginx(file: string, change = (text: string) => text) {
    return (folder: string) => {
      const site = change(read(`nginx/${file}`))
        .replace('listen 443 ssl;', `listen 127.0.0.1:${proxyPort};`)
        .replace(/^\s*ssl_certificate.*$/gm, '')
        .replace(/server_name .*;/, 'server_name localhost;')
        .replace('127.0.0.1:8080', upstream());
      for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name));
      const paths = [
        'client_body_temp_path body',
        'proxy_temp_path proxy',
        'fastcgi_temp_path fastcgi',
        'uwsgi_temp_path uwsgi',
        'scgi_temp_path scgi',
      ];
      const temporary = paths.map((line) => `${line.replace(' ', ` ${folder}/`)};`).join('\n');
      const config = join(folder, 'nginx.conf');
      writeFileSync(
        config,
        `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr;\nevents {}\nhttp { access_log off;\n${temporary}\n${site}\n}\n`,
      );
      return { program: 'nginx', args: ['-c', config, '-p', folder, '-e', 'stderr'] };
    };
  }

  function caddy(file: string, change = (text: string) => text) {
    return (folder: string) => {
      const site = change(read(`caddy/${file}`))
        .replace(/^(?:box\.)?example\.org(?:, content\.example\.net)? \{/m, `http://localhost:${proxyPort} {`)
        .replaceAll('127.0.0.1:8080', upstream());
      const config = join(folder, 'Caddyfile');
      writeFileSync(config, `{\n\tadmin off\n\tgrace_period 100ms\n}\n${site}`);
      return { program: 'caddy', args: ['run', '--adapter', 'caddyfile', '--config', config] };
    };
  }

  const needsNginx = { skip: !has('nginx') && 'needs nginx (apt-get install nginx-light)' };
  const needsCaddy = { skip: !has('caddy') && 'needs caddy (apt-get install caddy)' };

  test('nginx serves a host of its own by the example', needsNginx, async () => {
    await checkProxy(nginx('signalbox.conf'), '');
  });
  test('nginx serves a path by the example', needsNginx, async () => {
    await checkProxy(nginx('path.conf'), path);
  });
  test('nginx takes the path off as the example says', needsNginx, async () => {
    const strip = (text: string) =>
      text
        .replace('location ~ ^/box(?:/|$)', 'location /box/')
        .replace('proxy_pass http://signalbox;', 'proxy_pass http://signalbox/;');
    await checkProxy(nginx('path.conf', strip), path);
  });
  test('Caddy serves a host of its own by the example', needsCaddy, async () => {
    await checkProxy(caddy('Caddyfile'), '');
  });
  test('Caddy serves a path by the example', needsCaddy, async () => {
    await checkProxy(caddy('Caddyfile.path'), path);
  });
  test('Caddy takes the path off as the example says', needsCaddy, async () => {
    await checkProxy(
      caddy('Caddyfile.path', (text) => text.replace('handle /box*', 'handle_path /box*')),
      path,
    );
  });
  test('the Caddyfile of the cluster is valid', needsCaddy, () => {
    const { status, stderr } = spawnSync(
      'caddy',
      ['validate', '--adapter', 'caddyfile', '--config', join(DEPLOY, 'caddy/Caddyfile.cluster')],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
  });
});
