// The launcher: what its programs read and print, their end and its own, and strangers on its address.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { eventually, inTime } from '../../../../test/eventually.ts';
import { Launcher, NotLaunched, type LaunchedProgram } from './launcher.ts';

/** Elsewhere programs are started without it. */
const skip = process.platform !== 'linux' && 'the launcher is for Linux';
const PATH = process.env['PATH'] ?? '';
let launcher: Launcher;

before(async () => {
  if (skip === false) launcher = await Launcher.open();
});
after(async () => {
  await launcher?.close();
});

function shell(script: string, from = launcher): Promise<LaunchedProgram> {
  return from.start({ file: '/bin/sh', args: ['-c', script], env: { PATH }, niceness: 5 });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a program has its input, output, errors and exit code', { skip }, async () => {
  const program = await shell('cat; echo bad >&2; exit 3');
  program.stdin.end('x'.repeat(1_000_000));
  const [stdout, stderr] = await inTime(Promise.all([text(program.stdout), text(program.stderr)]));
  assert.deepEqual([stdout.length, stderr], [1_000_000, 'bad\n']);
  assert.deepEqual(await inTime(program.exit), { exitCode: 3, signal: null });
});

test('a program has its environment and niceness, and nothing of the server', { skip }, async () => {
  // It waits: its niceness is set right after its start.
  const program = await shell('read line; env; nice; pwd');
  program.stdin.end('\n');
  const lines = (await inTime(text(program.stdout))).trim().split('\n');
  const own = execFileSync('nice', { encoding: 'utf8' }).trim();
  assert.deepEqual(lines.slice(-2), [String(Number(own) + 5), '/']);
  assert.deepEqual(
    lines.slice(0, -2).filter((line) => !/^(PATH|PWD|OLDPWD|SHLVL|_)=/.test(line)),
    [],
  );
});

test('a program has its three streams, and no descriptor of the launcher', { skip }, async () => {
  const program = await shell('readlink /proc/self/fd/0; ls /proc/self/fd');
  const [stdin, ...descriptors] = (await inTime(text(program.stdout))).trim().split('\n');
  assert.match(stdin!, /^socket:/);
  // The shell that starts the tests may leave some open, which every program inherits.
  const usual = execFileSync('/bin/sh', ['-c', 'ls /proc/self/fd'], { encoding: 'utf8' }).trim().split('\n');
  assert.deepEqual(descriptors, usual);
});

test('a program with a dialogue reads and writes two more pipes, which block', { skip }, async () => {
  const long = 'head -c 200000 /dev/zero | tr "\\0" x';
  const args = ['-c', `read line <&4; { printf '%s ' "$line"; ${long}; } >&3`];
  const program = await launcher.start({
    file: '/bin/sh',
    args,
    env: { PATH },
    niceness: 0,
    hasDialogue: true,
  });
  const { input, output } = program.dialogue!;
  const heard = text(input);
  output.write('wo');
  output.end('rd\n');
  assert.equal(await inTime(heard), `word ${'x'.repeat(200_000)}`);
  assert.deepEqual(await inTime(program.exit), { exitCode: 0, signal: null });
});

test('a dialogue ends with its program, though what it has started lives on', { skip }, async () => {
  const args = ['-c', 'sleep 60 2>&1 >/dev/null & echo $! >&3; exit 5'];
  const program = await launcher.start({
    file: '/bin/sh',
    args,
    env: { PATH },
    niceness: 0,
    hasDialogue: true,
  });
  const [line] = (await inTime(once(program.dialogue!.input, 'data'))) as [Buffer];
  assert.equal((await inTime(program.exit)).exitCode, 5);
  process.kill(Number(line.toString()));
});

test('many programs at once keep their streams apart', { skip }, async () => {
  const outputs = Array.from({ length: 40 }, async (_, index) => text((await shell(`echo ${index}`)).stdout));
  assert.deepEqual(
    await inTime(Promise.all(outputs)),
    outputs.map((_, index) => `${index}\n`),
  );
});

test('a program that ends before this process has a turn is read whole', { skip }, async () => {
  const starting = shell('echo out; echo err >&2');
  const until = performance.now() + 300;
  while (performance.now() < until);
  const program = await inTime(starting);
  assert.equal(await inTime(text(program.stdout)), 'out\n');
  assert.equal(await inTime(text(program.stderr)), 'err\n');
});

test('a kill ends a program and what it has started', { skip }, async () => {
  const program = await shell('sleep 60 & echo $!; wait');
  const [line] = (await inTime(once(program.stdout, 'data'))) as [Buffer];
  program.kill();
  assert.equal((await inTime(program.exit)).signal, 'SIGKILL');
  await eventually(() => !isAlive(Number(line.toString())));
});

test('a program that does not exist has not been launched', { skip }, async () => {
  await assert.rejects(
    launcher.start({ file: '/nowhere/git', args: [], env: {}, niceness: 0 }),
    (error) => error instanceof NotLaunched && /ENOENT/.test(error.message),
  );
});

test('a stranger on the address is disconnected, and gets nothing', { skip }, async () => {
  const stranger = connect({ path: launcher.address });
  stranger.write('f'.repeat(24));
  assert.equal(await inTime(text(stranger)), '');
  const short = connect({ path: launcher.address });
  short.end('f');
  assert.equal(await inTime(text(short)), '');
  assert.equal(await inTime(text((await shell('echo still')).stdout)), 'still\n');
});

test(
  'signals for the server do not end it, and a launcher that is killed takes its programs along',
  { skip },
  async () => {
    const other = await Launcher.open();
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(other.pid!, signal);
    const program = await shell('cat', other);
    process.kill(other.pid!, 'SIGKILL');
    assert.deepEqual(await inTime(program.exit), { exitCode: null, signal: 'SIGKILL' });
    await eventually(() => !isAlive(program.pid));
    assert.equal(other.isGone, true);
    await assert.rejects(shell('true', other), NotLaunched);
  },
);

test('a process waits for its programs, and does not stay for the launcher', { skip }, async () => {
  const module = fileURLToPath(new URL('launcher.ts', import.meta.url));
  const script = `
    import { Launcher } from ${JSON.stringify(module)};
    const launcher = await Launcher.open();
    const program = await launcher.start({ file: '/bin/sh', args: ['-c', 'exec >&- 2>&-; sleep 0.2; exit 7'], env: {}, niceness: 0 });
    console.log(launcher.pid, (await program.exit).exitCode);`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  const [pid, code] = printed.split(' ').map(Number);
  assert.equal(code, 7);
  await eventually(() => !isAlive(pid!));
});
