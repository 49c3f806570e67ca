// The templates of `.gitignore` that a new repository may begin with.
import { Failure } from '../../kernel/failure.ts';
import { route, Text } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { askedFormat } from '../media-type.ts';
import { ignoredFilesOf, IGNORE_TEMPLATES } from './templates.ts';

const GitignoreTemplate = Type.Object(
  { name: Type.String(), source: Type.String() },
  { $id: 'gitignore-template' },
);

const listTemplates = route(
  {
    id: 'gitignore/get-all-templates',
    method: 'GET',
    path: '/gitignore/templates',
    summary: 'List the templates of .gitignore',
    description: 'The names that `gitignore_template` of a new repository may have.',
    access: 'anyone',
    reply: { 200: Type.Array(Type.String()) },
  },
  () => [...IGNORE_TEMPLATES],
);

const getTemplate = route(
  {
    id: 'gitignore/get-template',
    method: 'GET',
    path: '/gitignore/templates/{name}',
    summary: 'Get a template of .gitignore',
    description: 'The media type raw gives its text alone.',
    access: 'anyone',
    params: Type.Object({ name: Type.String() }),
    reply: { 200: GitignoreTemplate },
  },
  ({ params: { name }, headers }) => {
    const source = ignoredFilesOf(name);
    if (source === undefined) throw new Failure('not-found', 'There is no such template');
    const { param, name: type } = askedFormat(headers['accept']);
    return param === 'raw' ? new Text(`${type}; charset=utf-8`, source) : { name, source };
  },
);

export const gitignoreRoutes = [listTemplates, getTemplate];
