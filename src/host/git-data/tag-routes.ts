// Annotated tags as git stores them, and the list of all tags.
import { reply } from '../../kernel/http/route.ts';
import { OneOf, PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { parseTag } from '../git/objects/commit-object.ts';
import { buildTag } from '../git/objects/new-object.ts';
import { writeObjects } from '../git/objects/write-objects.ts';
import {
  PUSH_REPOSITORY,
  READ_REPOSITORY,
  repositoryRoute,
  RepositoryParams,
} from '../repositories/access.ts';
import { missingFrom } from '../commits/find-commit.ts';
import { GitTagReply, toGitTag, personIn, SentPerson, gitUrlsOf, objectUrl } from './model.ts';
import { checkChangeable } from './change-ref.ts';

const TagCreation = Type.Object({
  tag: PlainText({ description: 'The name, such as `v1`' }),
  message: PlainText(),
  object: Type.String({ description: 'The id of the tagged object' }),
  type: OneOf(['commit', 'tree', 'blob']),
  tagger: Type.Optional(SentPerson),
});

const createTag = repositoryRoute(
  {
    id: 'git/create-tag',
    method: 'POST',
    path: '/repos/{owner}/{repo}/git/tags',
    summary: 'Create the object of an annotated tag',
    description: 'The tag exists as soon as a reference below `refs/tags/` refers to the object.',
    access: PUSH_REPOSITORY,
    params: Type.Object(RepositoryParams),
    body: TagCreation,
    reply: { 201: GitTagReply },
  },
  'write',
  async (call, { services }, found) => {
    const { body, base } = call;
    const { number } = found.repository;
    const git = services.git.repository(number);
    checkChangeable(`refs/tags/${body.tag}`);
    const info = await git.readInfo(body.object.toLowerCase());
    if (info?.type !== body.type)
      throw problem('object', `is not the id of a ${body.type} of the repository`);
    const tag = buildTag({
      object: info.oid,
      type: body.type,
      tag: body.tag,
      tagger: personIn(body.tagger, 'tagger', call),
      message: body.message,
    });
    await writeObjects(git, [tag]);
    const urls = gitUrlsOf(found, base);
    const shown = toGitTag(parseTag(tag.oid, tag.bytes), number, urls);
    return reply(201, shown, { location: objectUrl(urls, 'tag', tag.oid) });
  },
);

const getTag = repositoryRoute(
  {
    id: 'git/get-tag',
    method: 'GET',
    path: '/repos/{owner}/{repo}/git/tags/{tag_sha}',
    summary: 'Get the object of an annotated tag',
    access: READ_REPOSITORY,
    params: Type.Object({ ...RepositoryParams, tag_sha: Type.String() }),
    reply: { 200: GitTagReply },
  },
  'read',
  async ({ params, base }, { services }, found) => {
    const { number } = found.repository;
    const git = services.git.repository(number);
    const tag = await git.readTag(params.tag_sha.toLowerCase());
    if (tag === undefined) throw await missingFrom(git, 'There is no such tag');
    return toGitTag(tag, number, gitUrlsOf(found, base));
  },
);

export const gitTagRoutes = [createTag, getTag];
