/** Which texts ask for a human: contact options are shown for these, and for no others. */
import fc from 'fast-check'
import t from 'tap'
import { asksForHuman } from '../../../core/knowledge/humanphrases.js'

const requests = `
talk to a human
I want to talk to a real person
can I speak to someone?
can i talk to a person please
I'd like to speak with an agent
agent
agent please
Agent!
representative
operator
human
HUMAN NOW
human please
real person
a real human being please
let me talk to a human
please connect me with a human
connect me to an agent
transfer me to a representative
can you transfer me to someone
put me through to someone
put me through to the manager
switch to a human
I need a human
i want human
I want a human, not a bot
give me a real person
get me a manager
get me someone
I need to speak to a manager
speak to a supervisor
speak to a representative
speak with a live agent
live agent
customer service
Customer support please
I want customer service
is there a human I can talk to
is there someone I can talk to?
Is there anyone I can speak with
someone to talk to
I need someone to talk to
I need someone to help me
is there a real person there
is there a human here?
can a human help me
can a real person help me please
can someone call me
Can someone call me about solar panels?
could somebody from your team call me back
please call me
call me back
call me
call me at 5
please call me tomorrow
can you call me at 555 0100
could you phone me
can you ring me back
have someone contact me
I want someone to call me
i want you to call me
I'd like a call back
can I get a callback
request a callback
give me a call
i need a call please
no bots please, human
I don't want to talk to a bot
i dont want to talk to a robot
dont want a bot
no bots
i dont want a bot i want a human
no i want a human
No, I need to talk to someone
not now. I want to talk to a person
how do I contact a human
how can I reach a human?
how do i get through to someone
how do i talk to a human
why can't I talk to a person
is it not possible to talk to a human
Hi, I have been waiting for an hour and want to speak to a manager
this is useless, get me a human
are you a bot? I want a human
are you human? let me talk to someone
can I have an agent
can i chat with someone from your team
I would rather talk to a human
I would like to speak to your team
can I speak to customer service
talk to support
connect me with sales
speak to a member of staff
can I talk to one of your agents
i need to speak w someone
escalate this please
Please escalate
I want to speak to real people
wanna talk to a person
can someone talk to me
put me in touch with someone
Can I please speak with a human being?
i need human assistance
get me a real person on the phone
I'm tired of this, let me talk to somebody
could I talk with a person about my bill
transfer to agent
i want to be transferred to an agent
please get someone to contact me
someone please call me
where can I find a human to talk to
I demand to speak to a manager
talk to rep
real agent
can a manager call me
need a person
hello, agent?
give me human support
`

const others = `
hello
I am a human
I'm a real person
are you human?
are you a human or a bot
are you a real person?
is this a human?
is this a real person
is this a bot
am I talking to a human?
Am I speaking with a real person?
you are not a human
i am not a robot
I'm not a bot
are you not a robot
who am i talking to
is my agent a human
table for two people
a table for 4 people please
I want a table for two people
2 people friday 8pm?
price per person
how much is it per person
room for one person
I need a room for one person
just one person
we are ten people
how many people work there
is there a fee per person
who is the contact person
I need a real estate listing
the agent showed me the house yesterday
my agent is Dana
the person I met yesterday was nice
my manager says hi
I am a manager at a hotel
your team is great
thanks to the whole team
the staff was rude
a representative visited us last week
do you sell to people abroad
I don't want to talk to a human
I do not need an agent
i dont want to speak to anyone
no need to call me
please don't call me
Please do not call me
never call me
stop calling me
you don't have to call me
I don't want you to call me
dont transfer me to an agent
I would rather not talk to a person
you can call me Sam
call me Sam
please call me Mr. Smith
my friends call me Bob
you can call me on 555 0100
can you call me a taxi?
call me a cab
should I call you?
can I call you
what is your phone number
what's your number
I missed a call from you
why did you call me yesterday
I will call back later
I need a phone
I want a new phone
give me a phone number
do you have an iPhone
I want to talk to you
talk to me
speak Spanish?
do you speak English
can we talk tomorrow
I need someone to clean my house
I want someone who can clean
I need a person's opinion
get people to come
I want to bring someone
can I bring someone
can someone else pick up my order
someone is at the door
is anyone allergic
somebody stole my bike
human error
human resources
I work in human resources
is it safe for humans
support
sales
what are your support hours
what is the customer service number
is customer service open
my computer is broken
my machine does not work
the robot vacuum is broken
I bought a robot
do you sell robots
I need help
help
can someone help me
can you help me
please help me
I want to book an appointment
I need an appointment with the doctor
can I see the doctor
send it to my wife
can I transfer my ticket to another person
can I transfer my booking to someone else
pass the salt
connect my account to the app
how do I connect to the wifi
I want to return something
contact lenses
do you have contact lenses
I am an agent of the city
ring size 7
I want a ring
give me a ring size chart
put me on the list
put me down for two
switch to the annual plan
real talk
a live show
live music
is there a person limit
any person under 18
I want to request a refund
require a deposit
is there parking
I need a person who can translate
how do people get there
what agents do you use for cleaning
we need two agents for the event
a bleaching agent
can someone explain the fees
will someone be there at 9?
someone called me from this number
I want to talk about my order
we talked to your team last week
is the manager in today
how many humans live on earth
do you give human blood tests
I want human hair extensions
I want people to like me
do I have to talk to my doctor first
I will get someone to pick it up
reach out to me by email
put me on hold
can I request a table
i need to call my wife
`

const lines = (text: string) => text.trim().split('\n')

t.test('R14, C7: A person who asks for a human, in the words people use for it, is understood', async (t) => {
  t.same(
    lines(requests).filter((text) => !asksForHuman(text)),
    [],
  )
})

t.test('R14, C7: A text about people, agents or calls is no request for a human', async (t) => {
  t.same(lines(others).filter(asksForHuman), [])
})

t.test('C7: Case, punctuation and courtesies around a request make no difference', async (t) => {
  const around = fc.record({
    before: fc.constantFrom('', 'Hi. ', 'Hello! ', 'ok, ', '\n', '... '),
    after: fc.constantFrom('', '!!!', ' please.', ', thanks', '?', ' \n\n'),
    isLoud: fc.boolean(),
  })
  const property = fc.property(fc.constantFrom(...lines(requests)), around, (request, { before, after, isLoud }) => {
    const text = `${before}${request}${after}`
    return asksForHuman(isLoud ? text.toUpperCase() : text)
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('C7: Any text is answered, and a hostile one in linear time', async (t) => {
  const anyText = fc.property(fc.string({ unit: 'grapheme' }), (text) => typeof asksForHuman(text) === 'boolean')
  t.doesNotThrow(() => fc.assert(anyText))
  const words = 'a real human person team support talk to get me want not call with please x dont is there 5'.split(' ')
  const sequence = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 })
  const repeated = fc.property(sequence, sequence, (part, last) => {
    const text = `${part.join(' ')} `.repeat(20_000) + last.join(' ')
    return typeof asksForHuman(text) === 'boolean'
  })
  t.doesNotThrow(() => fc.assert(repeated, { numRuns: 20 }))
})
