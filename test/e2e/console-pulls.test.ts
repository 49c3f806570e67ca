// Issues and pull requests in a real browser: a review of many files whose draft survives, an issue from its creation to its end, and a merge
// box that says every reason why not.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { addCommit, needsGit } from '../../src/host/git/fixture-repository.ts';
import { updateRefs } from '../../src/host/git/refs/update-refs.ts';
import { recordPushes } from '../../src/host/pushes/record-pushes.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { expectAnswer, NO_REQUIREMENTS } from '../host-crew.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { newPull } from '../host-pull-calls.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { logIn, noBrowser, startBrowser } from './browser.ts';
import { findBarriers, openConsole } from './console.ts';

const FILES = 500;

describe(
  'issues and pull requests of the console',
  { skip: noBrowser || needsGit.skip, timeout: 10 * PATIENCE_MS },
  () => {
    let server: TestServer;
    let browser: Browser;
    let ada: HostPerson;
    let bob: HostPerson;

    before(async () => {
      server = await startServer({ limits: 'off' });
      ada = await joinHost(server, 'ada', { role: 'owner' });
      bob = await joinHost(server, 'bob', { role: 'writer' });
      browser = await startBrowser();
    });
    after(async () => {
      await browser?.close();
      await server?.stop();
    });

    const newRepository = async (name: string): Promise<{ at: string; id: number }> => {
      const { id } = await ada.repository(name, { auto_init: true });
      const at = `/repos/ada/${name}`;
      await expectAnswer(204, ada.put(`${at}/collaborators/bob`, { permission: 'push' }));
      return { at, id: id as number };
    };

    /** Of files with ten lines each, and one that goes. */
    const openLargePull = async (name: string): Promise<string> => {
      const { at, id } = await newRepository(name);
      const { kernel } = server.app;
      const git = kernel.services.git.repository(id);
      const { object } = await expectAnswer(200, ada.get(`${at}/git/ref/heads/main`));
      const text = Array.from({ length: 10 }, (_, line) => `const line = ${line};\n`).join('');
      const files = Array.from({ length: FILES - 1 }, (_, file) => [
        `src/${String(file).padStart(3, '0')}.ts`,
        text,
      ]);
      await updateRefs(git, [{ name: 'refs/heads/many', from: undefined, to: object.sha as string }]);
      await addCommit(git, Object.fromEntries(files), { branch: 'many', parents: [object.sha as string] });
      await recordPushes(kernel, id);
      const sent = { title: 'Many files', head: 'many', base: 'main', body: 'See <b>all</b>.' };
      return `${at}/pulls/${(await expectAnswer(201, ada.post(`${at}/pulls`, sent))).number as number}`;
    };

    const list = async (who: HostPerson, path: string) => (await who.get(path)).json as unknown as Json[];
    const holds = (field: Locator, text: string) =>
      eventually(async () => (await field.inputValue()) === text, `the field with “${text}”`);
    const linesOf = (page: Page, file: string) => page.getByRole('region', { name: file, exact: true });

    test('a pull request of five hundred files opens with a usable review, and a draft survives reload and log-out', async () => {
      const pull = await openLargePull('large');
      const path = '/code/ada/large/pulls/1/files';
      const { page, takeProblems, close } = await openConsole(browser, server, bob.member, path);
      await page.getByRole('heading', { name: `${FILES} files changed` }).waitFor();
      const first = linesOf(page, 'src/000.ts');
      await first.getByRole('button', { name: 'Comment on line 3' }).click();
      await first.getByRole('textbox', { name: 'Comment on line 3' }).fill('Why a constant?');
      // Only files near the window are drawn.
      assert.ok((await page.locator('table.diff').count()) < FILES / 2);

      await linesOf(page, 'src/001.ts').getByRole('button', { name: 'Viewed' }).click();
      await page.getByText(`1 of ${FILES} viewed`).waitFor();
      await page.reload();
      await holds(first.getByRole('textbox'), 'Why a constant?');
      await page.getByText(`1 of ${FILES} viewed`).waitFor();
      assert.equal(await linesOf(page, 'src/001.ts').locator('table.diff').count(), 0);
      await page.getByRole('button', { name: 'bob: account' }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
      await page.getByRole('dialog', { name: 'You have logged out' }).waitFor();
      await logIn(page, server, bob.member);
      await page.goto(`${server.url}/console${path}`);
      await first.getByRole('button', { name: 'Keep for the review' }).click();
      assert.deepEqual(await list(bob, `${pull}/comments`), []);

      await page.getByRole('button', { name: 'Finish review 1' }).click();
      const dialog = page.getByRole('dialog', { name: 'Finish your review' });
      await dialog.getByRole('textbox', { name: 'Summary' }).fill('Nearly.');
      await dialog.getByRole('radio', { name: 'Ask for changes' }).check();
      await dialog.getByRole('button', { name: 'Submit review' }).click();
      await dialog.waitFor({ state: 'detached' });
      const [review] = await list(ada, `${pull}/reviews`);
      assert.deepEqual([review!['state'], review!['body']], ['CHANGES_REQUESTED', 'Nearly.']);
      const [comment] = await list(ada, `${pull}/comments`);
      assert.deepEqual(
        [comment!['path'], comment!['line'], comment!['body']],
        ['src/000.ts', 3, 'Why a constant?'],
      );
      await first.getByRole('article', { name: 'bob wrote' }).waitFor();
      await first.getByRole('button', { name: 'Resolve' }).click();
      await first.getByText('Resolved by bob').waitFor();
      assert.deepEqual(takeProblems(), []);
      await close();
    });

    test('an issue is written, labelled, talked about with a draft that survives, closed with a reason, and found by its filters', async () => {
      const { at } = await newRepository('plans');
      const start = '/code/ada/plans/issues';
      const { page, takeProblems, close } = await openConsole(browser, server, ada.member, start);
      await page.getByText('There are no open issues').waitFor();
      await page.keyboard.press('c');
      await page.getByRole('textbox', { name: 'Title' }).fill('Water the plants');
      await page.getByRole('textbox', { name: 'Text' }).fill('Every **day**. <img src=x onerror=alert(1)>');
      await page.getByRole('button', { name: 'Change: Labels' }).click();
      await page.getByRole('button', { name: /^bug/ }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Create issue' }).click();
      await page.getByRole('heading', { name: 'Water the plants #1' }).waitFor();
      await page.getByText('day', { exact: true }).waitFor();
      const created = await expectAnswer(200, ada.get(`${at}/issues/1`));
      assert.deepEqual(
        (created['labels'] as Json[]).map(({ name }) => name as string),
        ['bug'],
      );

      await page.getByRole('textbox', { name: 'Your comment' }).fill('Not in winter.');
      await page.reload();
      await holds(page.getByRole('textbox', { name: 'Your comment' }), 'Not in winter.');
      await page.getByRole('button', { name: 'Close for another reason' }).click();
      await page.getByRole('menuitem', { name: 'Close as not planned' }).click();
      await page.getByText('closed it as not planned').waitFor();
      const closed = await expectAnswer(200, ada.get(`${at}/issues/1`));
      assert.deepEqual([closed['state'], closed['state_reason']], ['closed', 'not_planned']);
      const [said] = await list(ada, `${at}/issues/1/comments`);
      assert.equal(said!['body'], 'Not in winter.');

      await page.goto(`${server.url}/console${start}?state=closed&label=bug&author=ada`);
      await page.getByRole('link', { name: /Water the plants/ }).waitFor();
      await page.goto(`${server.url}/console${start}?state=closed&label=wontfix`);
      await page.getByText('Nothing fits these filters').waitFor();
      assert.deepEqual(takeProblems(), []);
      await close();
    });

    test('the merge box names every reason, and merges once they are gone', async () => {
      const { at } = await newRepository('merged');
      const { pull, number, branch } = await newPull(bob, at, { draft: true });
      const rule = { required_pull_request_reviews: { required_approving_review_count: 1 } };
      const protection = { ...NO_REQUIREMENTS, ...rule, enforce_admins: true };
      await expectAnswer(200, ada.put(`${at}/branches/main/protection`, protection));
      const path = `/code/ada/merged/pulls/${number}`;
      const { page, takeProblems, close } = await openConsole(browser, server, ada.member, path);
      const box = page.getByRole('region', { name: 'Merge', exact: true });
      await box.getByText('Not ready to merge: 2 reasons').waitFor();
      const reasons = await box.locator('.why small').allInnerTexts();
      assert.match(reasons.join(' '), /It is still a draft\..*At least 1 approving review is required/);
      assert.deepEqual(await findBarriers(page), []);

      await page.getByRole('button', { name: 'Ready for review' }).click();
      await box.getByText('Not ready to merge: one reason').waitFor();
      await page.getByRole('button', { name: 'Finish review' }).click();
      const dialog = page.getByRole('dialog', { name: 'Finish your review' });
      await dialog.getByRole('radio', { name: 'Approve' }).check();
      await dialog.getByRole('button', { name: 'Submit review' }).click();
      await box.getByText('Ready to merge', { exact: true }).waitFor();
      await box.getByRole('combobox', { name: 'How' }).selectOption('squash');
      await box.getByRole('button', { name: 'Squash and merge' }).click();
      await page.getByRole('button', { name: 'Delete branch' }).click();
      await page.getByRole('button', { name: 'Restore branch' }).waitFor();
      assert.equal((await expectAnswer(200, ada.get(pull)))['merged'], true);
      await eventually(
        async () => (await ada.get(`${at}/git/ref/heads/${branch}`)).status === 404,
        'the branch is deleted',
      );
      assert.deepEqual(takeProblems(), []);
      await close();
    });
  },
);
