/** What runs inside a command: `sudo -u www rm x` runs `rm x`, `sh -c "rm x"` runs a script, `find -exec rm {} \;` runs `rm {}`. */
export interface Inside {
  /** The same command without what is in front of it. */
  peeled?: readonly string[];
  /** Further commands that it starts. */
  commands?: readonly (readonly string[])[];
  /** Shell text that it runs. */
  scripts?: readonly string[];
  /** It runs what it reads from its standard input. */
  runsInput?: boolean;
}

/** Options of a wrapper that take the next word as their value. */
const wrappers: Readonly<Record<string, { valued: readonly string[]; assignments?: boolean; operands?: number }>> = {
  sudo: { valued: ['-u', '-g', '-p', '-C', '-h', '-r', '-t', '-T', '-U', '-D', '-R', '--user', '--group', '--prompt', '--chdir', '--host'], assignments: true },
  doas: { valued: ['-u', '-C'] },
  env: { valued: ['-u', '-C', '--unset', '--chdir'], assignments: true },
  command: { valued: [] },
  builtin: { valued: [] },
  exec: { valued: ['-a'] },
  nohup: { valued: [] },
  setsid: { valued: [] },
  time: { valued: ['-f', '-o', '--format', '--output'] },
  nice: { valued: ['-n', '--adjustment'] },
  ionice: { valued: ['-c', '-n', '--class', '--classdata'] },
  chrt: { valued: [], operands: 1 },
  taskset: { valued: [], operands: 1 },
  timeout: { valued: ['-s', '-k', '--signal', '--kill-after'], operands: 1 },
  stdbuf: { valued: ['-i', '-o', '-e', '--input', '--output', '--error'] },
  unbuffer: { valued: [] },
  strace: { valued: ['-o', '-e', '-p', '-s', '-u'] },
  flock: { valued: ['-w', '-E', '--timeout'], operands: 1 },
  chroot: { valued: [], operands: 1 },
  busybox: { valued: [] },
  toybox: { valued: [] },
  xargs: { valued: ['-I', '-n', '-P', '-L', '-d', '-s', '-E', '-a', '--max-args', '--max-procs', '--replace', '--delimiter', '--arg-file', '--max-lines'] },
  parallel: { valued: ['-j', '-I', '-n', '-N', '-a', '--jobs', '--arg-file'] },
  watch: { valued: ['-n', '--interval'] },
};

const shells = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'fish']);

/** Tools whose options may come before the word that says what they do; listed are those that take the next word. */
const globalOptions: Readonly<Record<string, readonly string[]>> = {
  git: ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env'],
  kubectl: ['--context', '-n', '--namespace', '--kubeconfig', '--cluster', '--user', '-s', '--server', '--as'],
  helm: ['-n', '--namespace', '--kube-context', '--kubeconfig'],
  docker: ['--context', '-c', '-H', '--host', '--config', '-l', '--log-level'],
  terraform: [],
  tofu: [],
  aws: ['--profile', '--region', '--output', '--endpoint-url', '--color'],
  gcloud: ['--project', '--account', '--configuration'],
  az: ['--subscription'],
  gh: ['-R', '--repo'],
  npm: ['--prefix', '-w', '--workspace'],
  pnpm: ['-C', '--dir', '--filter', '-F'],
  yarn: ['--cwd'],
  cargo: ['--config', '-Z', '-C', '--color'],
  systemctl: ['-H', '-M', '--host', '--machine'],
};

/** `/usr/bin/rm` → `rm`, `git.exe` → `git`. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
}

export function inside(words: readonly string[]): Inside {
  const [first = '', ...rest] = words;
  const name = programName(first);
  if (shells.has(name)) return insideShell(rest);
  switch (name) {
    case 'eval':
      return { scripts: [rest.join(' ')] };
    case 'su':
    case 'runuser':
    case 'script':
      return { scripts: optionValue(rest, '-c', '--command') };
    case 'trap':
      return { scripts: rest.slice(0, 1) };
    case 'ssh':
      return { scripts: remote(rest) };
    case 'find':
    case 'fd':
    case 'fdfind':
      return { commands: executed(rest) };
    case 'command':
      // `command -v rm` only asks where rm lies.
      if (rest[0] === '-v' || rest[0] === '-V') return {};
      break;
    case 'watch':
    case 'flock':
    case 'parallel': {
      const scripts = [...optionValue(rest, '-c'), ...(rest.at(-1)?.includes(' ') ? rest.slice(-1) : [])];
      if (scripts.length > 0) return { scripts };
      break;
    }
    case 'env': {
      const split = optionValue(rest, '-S', '--split-string');
      if (split.length > 0) return { scripts: split };
      break;
    }
  }
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (!wrapper) return {};
  const start = skipOptions(rest, wrapper.valued, wrapper.assignments ?? false) + (wrapper.operands ?? 0);
  const peeled = rest.slice(start);
  return peeled.length > 0 ? { peeled } : {};
}

/** `git -C api push` → `git push`; undefined when there is nothing to leave out. */
export function withoutGlobalOptions(words: readonly string[]): string[] | undefined {
  const [first = '', ...rest] = words;
  const name = programName(first);
  const valued = Object.hasOwn(globalOptions, name) ? globalOptions[name] : undefined;
  if (!valued) return undefined;
  const start = skipOptions(rest, valued, false);
  return start > 0 && start < rest.length ? [name, ...rest.slice(start)] : undefined;
}

function skipOptions(words: readonly string[], valued: readonly string[], assignments: boolean): number {
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '--') return at + 1;
    if (valued.includes(word)) at += 1;
    else if (!(word.startsWith('-') && word.length > 1) && !(assignments && /^[A-Za-z_]\w*=/.test(word))) return at;
  }
  return at;
}

function insideShell(rest: readonly string[]): Inside {
  const flag = rest.findIndex((word) => /^-[A-Za-z]*c[A-Za-z]*$/.test(word));
  const firstOperand = rest.findIndex((word) => !/^[-+]/.test(word));
  if (flag >= 0 && (firstOperand < 0 || flag < firstOperand)) {
    const script = rest.slice(flag + 1).find((word) => !/^[-+]/.test(word));
    return { scripts: script === undefined ? [] : [script] };
  }
  return { runsInput: firstOperand < 0 || rest.includes('-s') || rest[firstOperand] === '/dev/stdin' };
}

function optionValue(words: readonly string[], ...options: readonly string[]): string[] {
  const at = words.findIndex((word) => options.includes(word));
  const next = words[at + 1];
  if (at >= 0 && next !== undefined) return [next];
  const glued = words.find((word) => options.some((option) => option.startsWith('--') && word.startsWith(`${option}=`)));
  return glued === undefined ? [] : [glued.slice(glued.indexOf('=') + 1)];
}

const sshValued = ['-b', '-c', '-D', '-E', '-e', '-F', '-I', '-i', '-J', '-L', '-l', '-m', '-O', '-o', '-p', '-Q', '-R', '-S', '-W', '-w'];

/** What follows the host. */
function remote(words: readonly string[]): string[] {
  const command = words.slice(skipOptions(words, sshValued, false) + 1);
  return command.length > 0 ? [command.join(' ')] : [];
}

/** The commands of `-exec … ;`, `-execdir … +`, `-ok … ;` and fd's `-x …`. */
function executed(words: readonly string[]): string[][] {
  const found: string[][] = [];
  for (let at = 0; at < words.length; at += 1) {
    if (!/^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(words[at] as string)) continue;
    const end = words.findIndex((word, index) => index > at && (word === ';' || word === '+'));
    found.push(words.slice(at + 1, end < 0 ? words.length : end));
  }
  return found.filter((command) => command.length > 0);
}
