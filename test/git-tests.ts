// Tests that need git, and their hooks: where it is missing each test is skipped by its name, and no hook runs.
import { after, before, test, type TestContext } from 'node:test';
import { needsGit } from '../src/host/git/fixture-repository.ts';

type Body = () => void | Promise<void>;
const isMissing = needsGit.skip !== false;

export function gitTest(name: string, body: (context: TestContext) => void | Promise<void>): void {
  void test(name, needsGit, body);
}

export function beforeGitTests(body: Body): void {
  if (!isMissing) before(body);
}

export function afterGitTests(body: Body): void {
  if (!isMissing) after(body);
}
