"""
Which functions can one neuron compute?
=======================================

A unit with weights and a threshold computes a Boolean function of its inputs. Of two inputs it computes 14 of 16; the share
falls fast. All functions up to four inputs have been decided, each with weights or with a witness.
"""

import matplotlib.pyplot as plt

import separatrix as sx

inputs = range(4)
share = []
for n in inputs:
    functions = sx.exercises.boolean_functions(n)
    separable = sum(function.separable for function in functions)
    share.append(separable / len(functions))
    print(f"{n} inputs: {separable} of {len(functions)}")

# %%
# Of four inputs it is 1,882 of 65,536, or 2.9 %.

fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.bar([*map(str, inputs), "4"], [*share, 1882 / 65536], color="#0072B2", width=0.6)
ax.set(xlabel="inputs", ylabel="share that one unit computes")
ax.spines[["top", "right"]].set_visible(False)

# %%
# The smallest weights of one function, and why another has none:

of_three = sx.exercises.boolean_functions(3)
print(of_three[0b00010111].explain())
print(of_three[0b01101001].explain())
