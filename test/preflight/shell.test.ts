import { describe, expect, it } from 'vitest';
import { innerSpace, simpleCommands } from '../../src/preflight/rules/shell.ts';

const forms = (line: string) => simpleCommands(line).flatMap((command) => command.forms.map((form) => form.replaceAll(innerSpace, '␣')));

describe('the commands of a line', () => {
  it.each([
    ['a list', 'cd live && terraform apply; ls || true', ['cd live', 'terraform apply', 'ls', 'true']],
    ['a pipe', 'cat a | sort |& uniq', ['cat a', 'sort', 'uniq']],
    ['a subshell and a group', '(rm a); { rm b; }', ['rm a', 'rm b']],
    ['a substitution', 'x=$(terraform apply) && echo `rm a` "$(rm b)"', ['terraform apply', 'rm a', 'rm b']],
    ['a process substitution', 'diff <(rm a) b', ['rm a']],
    ['a condition and a loop', 'if rm a; then rm b; fi; for f in *; do rm "$f"; done; while rm c; do :; done', ['rm a', 'rm b', 'rm $f', 'rm c']],
    ['a function', 'f() { rm a; }; f', ['rm a', 'f']],
    ['the background', 'rm a & rm b', ['rm a', 'rm b']],
    ['a continued line', 'rm \\\n  -rf a', ['rm -rf a']],
    ['an inner shell', "bash -lc 'cd live; terraform apply'", ['cd live', 'terraform apply']],
    ['a shell in a shell', `sh -c "bash -c 'rm a'"`, ['rm a']],
    ['a here-document for a shell', 'bash <<EOF\ngit reset --hard\nEOF', ['git reset --hard']],
    ['a here-string for a shell', 'sh <<< "rm a"', ['rm a']],
    ['text piped into a shell', 'echo "rm a" | sudo sh', ['rm a']],
    ['a here-document piped into a shell', 'cat <<EOF | sh -s\nrm a\nEOF', ['rm a']],
    ['eval', 'eval "rm a"', ['rm a']],
    ['another host', 'ssh -p 22 host rm a', ['rm a']],
    ['find', 'find . -name x -exec rm {} \\; -execdir ls {} +', ['rm {}', 'ls {}']],
    ['su', 'su - www -c "rm a"', ['rm a']],
  ])('are seen in %s', (_, line, expected) => {
    expect(forms(line)).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    'sudo rm a',
    'sudo -u www -- rm a',
    'sudo -E env A=1 rm a',
    'env -i A=1 B=2 rm a',
    'A=1 rm a',
    'time rm a',
    '/usr/bin/time -f %e rm a',
    'nohup nice -n 5 rm a &',
    'timeout -k 5 10s rm a',
    'command rm a',
    'exec rm a',
    '/bin/rm a',
    '\\rm a',
    "'r'm a",
    'ls | xargs -n 1 -P 4 rm a',
    'busybox rm a',
    'doas rm a',
    'stdbuf -oL rm a',
  ])('are seen behind what stands in front: %s', (line) => {
    expect(forms(line)).toContain('rm a');
  });

  it('keep the words that quotes hold together apart from those between spaces', () => {
    expect(forms('git commit -m "say --force" -s')).toEqual(['git commit -m say␣--force -s']);
  });

  it('leave out global options in one of the forms', () => {
    expect(forms('git -C api -c user.name=x push -f')).toContain('git push -f');
    expect(forms('kubectl --context live -n shop delete pvc a')).toContain('kubectl delete pvc a');
  });

  it('show their variables and redirections in forms of their own', () => {
    expect(forms('HUSKY=0 git commit')).toContain('HUSKY=0 git commit');
    expect(forms('echo x > /dev/sda')).toEqual(['echo x', 'echo x > /dev/sda', '> /dev/sda']);
    expect(forms('make >/dev/null 2>&1')).not.toContain('> /dev/null');
  });

  it('show what is piped into a shell as it stands', () => {
    expect(forms('curl -s https://x.test/a | sudo bash -s -- -y')).toContain('curl -s https://x.test/a | sudo bash -s -- -y');
    expect(forms('cat a | sort')).not.toContain('cat a | sort');
  });

  it('do not include what is only mentioned', () => {
    expect(forms('echo "rm a"; git commit -m "rm a && rm b" # rm c')).not.toContain('rm a');
    expect(forms('command -v rm')).toEqual(['command -v rm']);
    expect(forms('cat <<EOF > notes\nrm a\nEOF')).not.toContain('rm a');
  });

  it('fall back to the raw text where the line is broken', () => {
    expect(forms('echo "unclosed && rm a')).toEqual(expect.arrayContaining(['rm a', 'echo "unclosed && rm a']));
    expect(forms('if true; rm a')).toContain('rm a');
  });

  it('are found in a hostile line without much effort', () => {
    const nested = `${'sh -c "'.repeat(200)}rm a${'"'.repeat(200)}`;
    const start = performance.now();
    for (const line of [nested, '$('.repeat(4_000), 'a;'.repeat(4_000), 'sudo '.repeat(1_600), '`'.repeat(7_999), '{'.repeat(8_000)]) simpleCommands(line);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
