/**
 * A message center made with Net::SMPP of Perl, whose authors are nobody of ours: it reads and writes SMPP by its own
 * code.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../../../harness/ports.js'
import { waitUntil } from './messagecenter.js'

/**
 * It answers submits with hex ids, reports each as delivered under the decimal id, and sends what its input tells it
 * to.
 */
const program = `
use strict; use warnings; use Net::SMPP; use IO::Select;
$| = 1;
my $listening = Net::SMPP->new_listen('127.0.0.1', port => $ARGV[0], smpp_version => 0x34) or die "no port: $!";
print "listening\\n";
my $line = $listening->accept or die "nobody: $!";
my ($count, $seq) = (0xabcdef00, 1000);
my $inputs = IO::Select->new($line, \\*STDIN);
while (1) {
  for my $ready ($inputs->can_read) {
    if ($ready == \\*STDIN) {
      sysread(STDIN, my $order, 4096) or exit 0;
      for (split /\\n/, $order) {
        my ($esm, $coding, $hex) = split / /;
        $line->deliver_sm(source_addr_ton => 1, source_addr_npi => 1, source_addr => '15550001',
          destination_addr => '15550100', esm_class => $esm, data_coding => $coding,
          short_message => pack('H*', $hex), seq => $seq++, async => 1);
      }
      next;
    }
    my $pdu = $line->read_pdu() or exit 0;
    my %seen = map { $_ => $pdu->{$_} // '' } qw(source_addr_ton source_addr_npi source_addr dest_addr_ton dest_addr_npi
      destination_addr esm_class data_coding registered_delivery system_id password interface_version status);
    $seen{short_message} = unpack('H*', $pdu->{short_message} // '');
    my $name = Net::SMPP::pdu_tab->{$pdu->{cmd}}{cmd};
    print join("\\t", "cmd=$name", map { "$_=$seen{$_}" } sort keys %seen), "\\n";
    if ($name eq 'bind_transceiver') { $line->bind_transceiver_resp(seq => $pdu->{seq}, system_id => 'perl') }
    elsif ($name eq 'enquire_link') { $line->enquire_link_resp(seq => $pdu->{seq}) }
    elsif ($name eq 'unbind') { $line->unbind_resp(seq => $pdu->{seq}); close $line; exit 0 }
    elsif ($name eq 'submit_sm') {
      my $id = $count++;
      $line->submit_sm_resp(seq => $pdu->{seq}, message_id => sprintf('%X', $id));
      $line->deliver_sm(source_addr_ton => 1, source_addr_npi => 1, source_addr => $pdu->{destination_addr},
        destination_addr => $pdu->{source_addr}, esm_class => 4, seq => $seq++, async => 1, short_message =>
        sprintf('id:%010d sub:001 dlvrd:001 submit date:2611151102 done date:2611151103 stat:DELIVRD err:000 text:', $id));
    }
  }
}
`

export type SeenRequest = Readonly<Record<string, string>>

export interface PerlCenter {
  readonly port: number
  /**
   * Resolves, with all of them, when it has told us of this many. What it tells goes another way than what it answers,
   * and may come later.
   */
  waitForRequests(command: string, times: number): Promise<SeenRequest[]>
  deliver(esmClass: number, dataCoding: number, octets: Buffer): void
  /** Resolves with the code with which it ends. */
  readonly exited: Promise<number | null>
  kill(): void
}

export async function startPerlCenter(): Promise<PerlCenter> {
  const port = await freePort()
  const child: ChildProcess = spawn('perl', ['-e', program, String(port)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const seen: SeenRequest[] = []
  const lines = createInterface({ input: child.stdout! })
  await Promise.race([once(lines, 'line'), exited])
  lines.on('line', (line) => {
    seen.push(Object.fromEntries(line.split('\t').map((field) => field.split(/=(.*)/s).slice(0, 2))))
  })
  const requestsOf = (command: string) => seen.filter(({ cmd }) => cmd === command)
  return {
    port,
    waitForRequests: (command, times) =>
      waitUntil(() => requestsOf(command).length >= times).then(() => requestsOf(command)),
    deliver: (esmClass, dataCoding, octets) =>
      child.stdin!.write(`${esmClass} ${dataCoding} ${octets.toString('hex')}\n`),
    exited,
    kill: () => child.kill('SIGKILL'),
  }
}
