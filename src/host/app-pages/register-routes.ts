// Registering an app by its manifest: another site posts it, the visitor agrees here, and the code goes to that site.
import type { FastifyReply } from 'fastify';
import { Failure } from '../../kernel/failure.ts';
import { formTargetOf, showPage } from '../../kernel/http/pages/html.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { requirePermission } from '../../kernel/identity/policy.ts';
import { hashSecret, newSecret } from '../../kernel/secrets/secret.ts';
import type { SessionCaller } from '../../kernel/identity/sessions/session-caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { PageRequest, PageRoute } from '../../kernel/http/pages/page-route.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { goTo } from '../../kernel/http/pages/session-shell.ts';
import { openManagedAccount } from '../app-manifests/app-owner.ts';
import { signForm } from '../app-manifests/form-token.ts';
import { readAppManifest } from '../app-manifests/manifest.ts';
import { packManifest, unpackManifest, type SentManifest } from '../app-manifests/packed-manifest.ts';
import { insertAppManifest } from '../app-manifests/store.ts';
import { appResource, isAppName, appSlugOf } from '../apps/app.ts';
import { findAppBySlug } from '../apps/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { findVisitor, openForm, pageForMembers, settingsPathOf, settingsPaths } from './page-forms.ts';
import { codePage, consentPage, manifestFormPage, type ReadManifest } from './register-page.ts';

const CODE_MS = 60 * 60 * 1000;
const MAX_STATE = 4096;

/** Where the apps of an account are. */
function pathOf({ params: { org } }: PageRequest): string {
  return `${settingsPathOf(org)}/apps`;
}

/** May come from any site, and changes nothing. Browsers send the session with the page that it leads to. */
async function takeManifest(request: PageRequest, reply: FastifyReply, kernel: Kernel) {
  await findVisitor(request, kernel);
  const { text, state } = readSent(request.form, request.query.get('state'), kernel);
  return goTo(request, reply, `${pathOf(request)}/new?manifest=${packManifest({ text, state })}`);
}

const showAsked = pageForMembers(async (request, reply, kernel, visitor) => {
  const packed = request.query.get('manifest');
  if (packed === null) return showPage(reply, 200, manifestFormPage(`${pathOf(request)}/new`));
  const sent = readManifest(unpackManifest(packed), kernel);
  const owner = await ownerFor(request, visitor, kernel);
  return showConsent(request, reply, kernel, { visitor, sent, owner, name: sent.manifest.name });
});

interface Consent {
  visitor: SessionCaller;
  sent: ReadManifest;
  owner: RepositoryOwner;
  name: string;
  problem?: string;
}

function showConsent(
  request: PageRequest,
  reply: FastifyReply,
  { secrets, clock }: Kernel,
  { visitor, sent, owner, name, problem: wrong }: Consent,
) {
  const path = pathOf(request);
  const token = signForm(secrets, visitor.session, shownOf(path, sent.text, sent.state), clock.now());
  const page = consentPage(sent, {
    path,
    token,
    owner: owner.login,
    name,
    ...(wrong !== undefined && { problem: wrong }),
  });
  const { redirect } = sent.manifest.urls;
  return showPage(
    reply,
    wrong === undefined ? 200 : 422,
    page,
    redirect === null ? [] : [formTargetOf(redirect)],
  );
}

/** The token binds the consent to these. */
function shownOf(path: string, text: string, state: string): string[] {
  return ['register', path, text, state];
}

async function agree(request: PageRequest, reply: FastifyReply, kernel: Kernel) {
  const { db, clock, publicUrl } = kernel;
  const { form } = request;
  const shown = shownOf(pathOf(request), form.get('manifest') ?? '', form.get('state') ?? '');
  const { visitor, token } = await openForm(request, kernel, shown);
  const sent = readSent(form, null, kernel);
  const owner = await ownerFor(request, visitor, kernel);
  const name = (form.get('name') ?? '').trim();
  const again = (words: string) =>
    showConsent(request, reply, kernel, { visitor, sent, owner, name, problem: words });
  const slug = isAppName(name) ? appSlugOf(name) : undefined;
  if (slug === undefined) return again('A name has 1 to 34 characters, some of them letters or digits.');
  if ((await findAppBySlug(db, slug)) !== undefined)
    return again('Another app has this name. Choose another.');
  requirePermission(visitor.caller, 'createApp', appResource({ slug }));
  const now = clock.now();
  const code = newSecret('');
  const agreed = {
    codeHash: code.hash,
    consentHash: hashSecret(token),
    ownerId: owner.id,
    creatorId: accountOf(visitor.caller).id,
    manifest: { ...sent.manifest, name },
    expiresAt: now + CODE_MS,
  };
  if (!(await insertAppManifest(db, agreed, now)))
    throw new Failure('conflict', 'You have agreed to this already. Begin again to register another app.');
  const { redirect } = sent.manifest.urls;
  if (redirect === null) return showPage(reply, 200, codePage(code.value, publicUrl));
  const target = new URL(redirect);
  target.searchParams.set('code', code.value);
  if (sent.state !== '') target.searchParams.set('state', sent.state);
  return goTo(request, reply, target.href);
}

async function ownerFor(
  { params: { org } }: PageRequest,
  { caller }: SessionCaller,
  { db }: Kernel,
): Promise<RepositoryOwner> {
  return await openManagedAccount(db, caller, org ?? accountOf(caller).username);
}

function readSent(form: URLSearchParams, query: string | null, kernel: Kernel): ReadManifest {
  return readManifest({ text: form.get('manifest') ?? '', state: form.get('state') ?? query ?? '' }, kernel);
}

function readManifest({ text, state }: SentManifest, { guard }: Kernel): ReadManifest {
  if (text === '') throw problem('manifest', 'is required');
  if (state.length > MAX_STATE) throw problem('state', `must have at most ${MAX_STATE} characters`);
  return { text, state, manifest: readAppManifest(text, (url) => guard.checkUrl(url)) };
}

export const registerPages: PageRoute[] = [
  ...settingsPaths('apps/new').flatMap((path): PageRoute[] => [
    { method: 'GET', path, handle: showAsked },
    { method: 'POST', path, handle: takeManifest },
  ]),
  ...settingsPaths('apps').map((path): PageRoute => ({ method: 'POST', path, handle: agree })),
];
